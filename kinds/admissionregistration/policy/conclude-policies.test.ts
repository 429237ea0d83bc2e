import { describe, expect, it } from 'vitest';
import { concludePolicies, type DecidedStep, type PolicyVerdict } from './conclude-policies.ts';
import type { PolicyEvaluation, ValidationDecision } from './evaluate-policy.ts';
import { makeBinding, makePolicy, makeRequest } from './testdata/make-request.ts';

type Failure = 'Fail' | 'Ignore';

function deny(message: string, reason?: string): ValidationDecision {
  return {
    action: 'deny',
    evaluation: reason === undefined ? 'error' : 'deny',
    message,
    ...(reason === undefined ? {} : { reason }),
    seconds: 1,
  };
}
const admit: ValidationDecision = { action: 'admit', evaluation: 'admit', message: '', seconds: 1 };

function makeStep(
  evaluation: Partial<PolicyEvaluation>,
  actions: ('Deny' | 'Warn' | 'Audit')[] = ['Deny'],
  binding = 'b',
  policy = 'p',
): DecidedStep {
  return {
    type: 'evaluate',
    policy: makePolicy({}, policy),
    binding: makeBinding({ validationActions: actions, policyName: policy }, binding),
    param: null,
    matched: makeRequest(),
    evaluation: { decisions: [], annotations: [], cost: 5, traces: [], ...evaluation },
  };
}

function makeFailure(failurePolicy: Failure, actions: ('Deny' | 'Warn' | 'Audit')[], isOfPolicy = false): DecidedStep {
  return {
    type: 'failure',
    policy: makePolicy({ failurePolicy }),
    binding: makeBinding({ validationActions: actions }),
    isOfPolicy,
    message: 'failed to configure binding: why',
  };
}

function conclude(...steps: DecidedStep[]): PolicyVerdict {
  const conclusion = concludePolicies(steps, { domain: 'example.dev' });
  for (;;) {
    const { done, value } = conclusion.next();
    if (done === true) return value;
  }
}
const key = 'validation.policy.admission.example.dev/validation_failure';
const denied = (message: string, binding = 'b') =>
  `ValidatingAdmissionPolicy 'p' with binding '${binding}' denied request: ${message}`;
const warned = (message: string) => `Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': ${message}`;

describe('what a failure does', () => {
  it.for<[string, DecidedStep, unknown]>([
    ['nothing', makeStep({ decisions: [admit] }), [undefined, [], undefined]],
    ['Deny', makeStep({ decisions: [deny('no', 'Invalid')] }), [denied('no'), [], undefined]],
    ['Warn', makeStep({ decisions: [deny('no', 'Invalid')] }, ['Warn']), [undefined, [warned('no')], undefined]],
    [
      'Audit',
      makeStep({ decisions: [admit, deny('no', 'Invalid')] }, ['Audit']),
      [undefined, [], [['no', 1, ['Audit']]]],
    ],
    [
      'Deny and Audit',
      makeStep({ decisions: [deny('no', 'Invalid')] }, ['Deny', 'Audit']),
      [denied('no'), [], [['no', 0, ['Deny', 'Audit']]]],
    ],
    [
      'Warn and Audit',
      makeStep({ decisions: [deny('no')] }, ['Warn', 'Audit']),
      [undefined, [warned('no')], [['no', 0, ['Warn', 'Audit']]]],
    ],
    ['misconfigured: Deny', makeFailure('Fail', ['Deny']), [denied('failed to configure binding: why'), [], undefined]],
    [
      'misconfigured: Warn',
      makeFailure('Fail', ['Warn']),
      [undefined, [warned('failed to configure binding: why')], undefined],
    ],
    ['misconfigured and ignored', makeFailure('Ignore', ['Deny']), [undefined, [], undefined]],
    [
      'a misconfigured policy',
      makeFailure('Fail', ['Deny'], true),
      ["ValidatingAdmissionPolicy 'p' denied request: failed to configure binding: why", [], undefined],
    ],
    [
      'an annotation that fails',
      makeStep({ annotations: [{ key: 'k', action: 'error', text: 'bad', seconds: 1 }] }),
      [denied('bad'), [], undefined],
    ],
    [
      'an annotation that fails: Warn',
      makeStep({ annotations: [{ key: 'k', action: 'error', text: 'bad', seconds: 1 }] }, ['Warn']),
      [undefined, [warned('bad')], undefined],
    ],
  ])('%s', ([, step, expected]) => {
    const { refusal, warnings, annotations } = conclude(step);
    const audited = annotations.get(key);
    const failures = audited === undefined ? undefined : (JSON.parse(audited) as Record<string, unknown>[]);
    expect([
      refusal?.message,
      warnings,
      failures?.map(({ message, expressionIndex, validationActions }) => [message, expressionIndex, validationActions]),
    ]).toEqual(expected);
  });
});

describe('the refusal', () => {
  it.for([
    ['Invalid', 422],
    ['Forbidden', 403],
    ['Unauthorized', 401],
    ['RequestEntityTooLarge', 413],
  ] as const)('has the reason %s and the code %d', ([reason, code]) => {
    expect(conclude(makeStep({ decisions: [deny('no', reason)] })).refusal).toMatchObject({ reason, code });
  });

  it('is the first one, and names all causes once', () => {
    const { refusal } = conclude(
      makeStep({ decisions: [admit, deny('one', 'Forbidden'), deny('two', 'Invalid')] }),
      makeStep({ decisions: [deny('warned', 'Invalid')] }, ['Warn'], 'a'),
      makeStep({ decisions: [deny('one', 'Invalid')] }),
      makeStep({ decisions: [deny('one', 'Invalid')] }, ['Deny'], 'c'),
    );
    expect(refusal).toEqual({
      message: denied('one'),
      reason: 'Forbidden',
      code: 403,
      causes: [denied('one'), denied('two'), denied('one', 'c')],
    });
  });
});

describe('audit annotations', () => {
  const publish = (text: string, name = 'k') => ({ key: name, action: 'publish', text, seconds: 0 }) as const;

  it('lists every failure, as Go encodes it', () => {
    const { annotations } = conclude(
      makeStep({ decisions: [deny('a < b & c', 'Invalid')] }, ['Audit']),
      makeStep({ decisions: [deny('two', 'Invalid')] }, ['Audit', 'Warn'], 'c'),
    );
    expect(annotations.get(key)).toBe(
      '[{"message":"a \\u003c b \\u0026 c","policy":"p","binding":"b","expressionIndex":0,"validationActions":["Audit"]},' +
        '{"message":"two","policy":"p","binding":"c","expressionIndex":0,"validationActions":["Audit","Warn"]}]',
    );
  });

  it('joins the values of all bindings, each once', () => {
    const { annotations } = conclude(
      makeStep({ annotations: [publish('x'), publish('1', 'other')] }),
      makeStep({ annotations: [publish('y')] }, ['Deny'], 'c'),
      makeStep({ annotations: [publish('x')] }, ['Deny'], 'd'),
      makeStep({ annotations: [publish('z')] }, ['Deny'], 'e', 'q'),
    );
    expect([...annotations]).toEqual([
      ['p/k', 'x, y'],
      ['p/other', '1'],
      ['q/k', 'z'],
    ]);
  });

  it.for([
    ['a'.repeat(10_241), 10_240],
    ['é'.repeat(5_120), 10_240],
    [`a${'é'.repeat(5_120)}`, 10_239],
  ] as const)('cuts a long value to 10 kb, between characters', ([text, bytes]) => {
    const value = conclude(makeStep({ annotations: [publish(text)] })).annotations.get('p/k') ?? '';
    expect(Buffer.byteLength(value)).toBe(bytes);
    expect(text.startsWith(value)).toBe(true);
  });
});

it('counts what was done, and what it cost', () => {
  const { observations, costs } = conclude(
    makeStep({ decisions: [admit, deny('no', 'Invalid')] }, ['Deny', 'Audit']),
    makeStep({ decisions: [{ ...deny('compilation error: x'), action: 'admit' }] }, ['Warn']),
    makeStep({ decisions: [deny('validation failed due to running out of cost budget, no …')] }, ['Warn']),
  );
  expect(observations.map(({ errorType, action }) => [errorType, action])).toEqual([
    ['invalid_error', 'deny'],
    ['invalid_error', 'audit'],
    ['compile_error', 'allow'],
    ['out_of_budget', 'warn'],
  ]);
  expect([...costs]).toEqual([['p', 15]]);
});
