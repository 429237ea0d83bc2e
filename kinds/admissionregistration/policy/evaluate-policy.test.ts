import { describe, expect, it } from 'vitest';
import { EvaluationInterrupted } from '../../../core/cel/plan/cost-meter.ts';
import { keyOfQuestion } from '../../../core/cel/libraries/authorizer/permission.ts';
import type { ValidatingAdmissionPolicySpec } from '../validating-admission-policy/schema.ts';
import { CompileCache } from './compile-cache.ts';
import {
  evaluatePolicy,
  type EvaluationContext,
  type PolicyEvaluation,
  type PolicyEvaluationInput,
} from './evaluate-policy.ts';
import { makePolicy, makeRequest } from './testdata/make-request.ts';

function run(
  spec: Partial<ValidatingAdmissionPolicySpec>,
  input: Partial<PolicyEvaluationInput> = {},
  context: Partial<EvaluationContext> = {},
): PolicyEvaluation {
  const cache = new CompileCache();
  const request = input.request ?? makeRequest();
  const outcome = evaluatePolicy(
    {
      policy: makePolicy(spec),
      param: null,
      request,
      matched: request,
      namespaceObject: null,
      permissions: {},
      ...input,
    },
    { compile: (policy) => cache.compile(policy), ...context },
  );
  if ('needs' in outcome) throw new Error(`needs ${keyOfQuestion(outcome.needs)}`);
  return outcome;
}

function decide(spec: Partial<ValidatingAdmissionPolicySpec>, input: Partial<PolicyEvaluationInput> = {}): unknown[] {
  return run(spec, input).decisions.map(({ evaluation, action, message }) =>
    message === '' ? evaluation : [evaluation, action, message],
  );
}

const one = (expression: string, more: object = {}) => ({ validations: [{ expression, ...more }] });
const spent = 'validation failed due to running out of cost budget, no further validation rules will be run';
const cancelled = 'operation cancelled: actual cost limit exceeded';
/** Costs about 900,000. */
const dear = 'range.all(i, range.all(j, range.all(k, i + j + k >= 0)))'.replaceAll(
  'range',
  '[0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9]',
);
const tooDear = `${dear} && ${dear}`;

describe('validations', () => {
  it.for<[string, Partial<ValidatingAdmissionPolicySpec>, Partial<PolicyEvaluationInput>, unknown[]]>([
    ['one that holds', one('object.metadata.name == "a"'), {}, ['admit']],
    ['one that does not', one('false'), {}, [['deny', 'deny', 'failed expression: false']]],
    ['a message', one('false', { message: ' no ' }), {}, [['deny', 'deny', 'no']]],
    [
      'a message expression',
      one('false', { message: 'm', messageExpression: "'is ' + object.metadata.name" }),
      {},
      [['deny', 'deny', 'is a']],
    ],
    [
      'a message expression that fails',
      one('false', { message: 'm', messageExpression: 'string(object.no)' }),
      {},
      [['deny', 'deny', 'm']],
    ],
    ['an empty message', one('false', { message: 'm', messageExpression: "' '" }), {}, [['deny', 'deny', 'm']]],
    [
      'a message of two lines',
      one('false', { messageExpression: "'a\\nb'" }),
      {},
      [['deny', 'deny', 'failed expression: false']],
    ],
    [
      'a message that is too long',
      one('false', { message: 'm', messageExpression: `'${'x'.repeat(5121)}'` }),
      {},
      [['deny', 'deny', 'm']],
    ],
    [
      'an error',
      one('object.no == 1'),
      {},
      [['error', 'deny', "expression 'object.no == 1' resulted in error: no such key: no"]],
    ],
    [
      'an error that is ignored',
      { ...one('object.no == 1'), failurePolicy: 'Ignore' },
      {},
      [['error', 'admit', "expression 'object.no == 1' resulted in error: no such key: no"]],
    ],
    [
      'one that is false is never ignored',
      { ...one('false'), failurePolicy: 'Ignore' },
      {},
      [['deny', 'deny', 'failed expression: false']],
    ],
    [
      'each of them',
      { validations: [{ expression: 'false' }, { expression: 'true' }, { expression: '1 == 2', message: 'n' }] },
      {},
      [['deny', 'deny', 'failed expression: false'], 'admit', ['deny', 'deny', 'n']],
    ],
    ['no old object', one('oldObject == null'), {}, ['admit']],
    [
      'no object',
      one('object == null && oldObject.metadata.name == "a"'),
      { request: makeRequest({ operation: 'DELETE', object: null, oldObject: makeRequest().object }) },
      ['admit'],
    ],
    ['no parameter', { ...one('params == null'), paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }, {}, ['admit']],
    [
      'a parameter',
      { ...one('params.data.x == "y"'), paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
      { param: { data: { x: 'y' } } },
      ['admit'],
    ],
    ['no namespace', one('namespaceObject == null'), {}, ['admit']],
    [
      'the namespace',
      one('namespaceObject.metadata.labels.env == "prod"'),
      { namespaceObject: { metadata: { labels: { env: 'prod' } } } },
      ['admit'],
    ],
    [
      'the request',
      one(
        'request.operation == "CREATE" && request.resource.resource == "pods" && request.requestKind.kind == "Pod" && request.userInfo.username == "tester" && "testers" in request.userInfo.groups && !request.dryRun && request.name == "a" && request.namespace == "ns" && !has(request.subResource) && request.options.kind == "CreateOptions"',
      ),
      {},
      ['admit'],
    ],
    [
      'variables',
      {
        ...one('variables.b == 3'),
        variables: [
          { name: 'a', expression: 'size(object.spec.containers)' },
          { name: 'b', expression: 'variables.a + 1' },
        ],
      },
      {},
      ['admit'],
    ],
    [
      'a variable that fails and is not read',
      { ...one('true || variables.a == 1'), variables: [{ name: 'a', expression: 'object.no' }] },
      {},
      ['admit'],
    ],
    [
      'a variable that fails',
      { ...one('variables.a == 1'), variables: [{ name: 'a', expression: 'object.no' }] },
      {},
      [
        [
          'error',
          'deny',
          `expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: no such key: no`,
        ],
      ],
    ],
    [
      'one that costs too much',
      one(tooDear),
      {},
      [['error', 'deny', `expression '${tooDear}' resulted in error: ${cancelled}`]],
    ],
    [
      'a variable that costs too much',
      { ...one('variables.a'), variables: [{ name: 'a', expression: tooDear }] },
      {},
      [
        [
          'error',
          'deny',
          `expression 'variables.a' resulted in error: composited variable "a" fails to evaluate: ${cancelled}`,
        ],
      ],
    ],
    [
      'all of them together',
      { validations: Array.from({ length: 25 }, () => ({ expression: dear })) },
      {},
      [['error', 'deny', spent]],
    ],
    [
      'all of them together, ignored',
      { failurePolicy: 'Ignore', validations: Array.from({ length: 25 }, () => ({ expression: dear })) },
      {},
      [['error', 'admit', spent]],
    ],
    [
      'one that does not compile',
      one('object.'),
      {},
      [
        [
          'error',
          'deny',
          expect.stringMatching(/^compilation error: compilation failed: ERROR: <input>:1:8: Syntax error/),
        ],
      ],
    ],
    [
      'one of the wrong type',
      one('1'),
      {},
      [['error', 'deny', 'compilation error: must evaluate to bool but got int']],
    ],
    [
      'one of no certain type',
      one('object.metadata'),
      {},
      [['error', 'deny', 'compilation error: must evaluate to bool but got dyn']],
    ],
  ])('%s', ([, spec, input, expected]) => {
    expect(decide(spec, input)).toEqual(expected);
  });

  it('says its reason, and Invalid where it has none', () => {
    const { decisions } = run({ validations: [{ expression: 'false', reason: 'Forbidden' }, { expression: 'false' }] });
    expect(decisions.map(({ reason }) => reason)).toEqual(['Forbidden', 'Invalid']);
  });

  it('tells why a message is not the one of its expression', () => {
    const { decisions } = run(one('false', { messageExpression: 'string(object.no)' }));
    expect(decisions[0]?.messageFault).toBe('no such key: no');
  });

  it('charges a variable once, to whoever reads it first', () => {
    const spec = {
      variables: [{ name: 'a', expression: 'object.metadata.name' }],
      validations: [{ expression: "variables.a == 'a'" }, { expression: "variables.a == 'a'" }],
    };
    const { traces, cost } = run(spec, {}, { traces: true });
    const [variable, first, second] = traces;
    expect(variable).toEqual({
      field: 'spec.variables[0].expression',
      expression: 'object.metadata.name',
      result: 'a',
      cost: 3,
    });
    expect(first?.cost).toBe(second?.cost);
    expect(cost).toBe(traces.reduce((sum, trace) => sum + trace.cost, 0));
  });
});

describe('match conditions', () => {
  const when = (...expressions: string[]): Partial<ValidatingAdmissionPolicySpec> => ({
    ...one('false'),
    matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
  });
  const denied = ['deny', 'deny', 'failed expression: false'];
  const fault = (expression: string) => `expression '${expression}' resulted in error: no such key: no`;

  it.for<[string, Partial<ValidatingAdmissionPolicySpec>, unknown[]]>([
    ['all true', when('true', 'object.metadata.name == "a"'), [denied]],
    ['one false', when('true', 'false'), []],
    ['one false and one error', when('object.no', 'false'), []],
    ['an error', when('true', 'object.no == 1'), [['error', 'deny', fault('object.no == 1')]]],
    [
      'two errors',
      when('object.no == 1', 'object.no == 2'),
      [['error', 'deny', `[${fault('object.no == 1')}, ${fault('object.no == 2')}]`]],
    ],
    ['an error that is ignored', { ...when('true', 'object.no == 1'), failurePolicy: 'Ignore' }, []],
    ['too dear', when(dear, dear, dear, dear, dear, dear), [['error', 'deny', spent]]],
    [
      'too dear, though the last is false',
      when(dear, dear, dear, dear, dear, dear, 'false'),
      [['error', 'deny', spent]],
    ],
    ['too dear and ignored', { ...when(dear, dear, dear, dear, dear, dear), failurePolicy: 'Ignore' }, []],
  ])('%s', ([, spec, expected]) => {
    expect(decide(spec)).toEqual(expected);
  });

  it('names the first that is false', () => {
    expect(run(when('true', 'false', 'false')).unmatchedCondition).toBe('c1');
  });

  it('leaves validations their own budget', () => {
    expect(decide({ ...when(dear, dear), ...one(dear) })).toEqual(['admit']);
  });
});

describe('budgets of their own', () => {
  it('gives messages what validations left', () => {
    const spec = {
      validations: Array.from({ length: 10 }, () => ({
        expression: `${dear} && false`,
        messageExpression: `${dear} ? 'a' : 'b'`,
      })),
    };
    const { decisions } = run(spec);
    expect(new Set(decisions.map(({ message }) => message))).toEqual(new Set([`failed messageExpression: ${spent}`]));
  });

  it('gives annotations as much as validations', () => {
    const spec = {
      validations: Array.from({ length: 8 }, () => ({ expression: dear })),
      auditAnnotations: Array.from({ length: 8 }, (_, i) => ({ key: `k${i}`, valueExpression: `${dear} ? 'a' : 'b'` })),
    };
    const { decisions, annotations } = run(spec);
    expect([decisions.length, annotations.length]).toEqual([8, 8]);
    expect(annotations.every(({ action }) => action === 'publish')).toBe(true);
  });

  it('keeps what validations found when annotations cost too much', () => {
    const auditAnnotations = Array.from({ length: 20 }, (_, i) => ({
      key: `k${i}`,
      valueExpression: `${dear} ? 'a' : 'b'`,
    }));
    expect(decide({ ...one('false'), failurePolicy: 'Ignore', auditAnnotations })).toEqual([
      ['deny', 'deny', 'failed expression: false'],
      ['error', 'admit', spent],
    ]);
  });
});

describe('audit annotations', () => {
  const annotate = (valueExpression: string, more: Partial<ValidatingAdmissionPolicySpec> = {}) =>
    run({ validations: [], auditAnnotations: [{ key: 'k', valueExpression }], ...more }).annotations.map(
      ({ key, action, text }) => [key, action, text],
    );

  it.for<[string, Partial<ValidatingAdmissionPolicySpec>, unknown[]]>([
    ["' of ' + object.metadata.name + ' '", {}, ['k', 'publish', 'of a']],
    ["''", {}, ['k', 'exclude', '']],
    ['null', {}, ['k', 'exclude', '']],
    ["object.no + 'a'", {}, ['k', 'error', "expression 'object.no + 'a'' resulted in error: no such key: no"]],
    ["object.no + 'a'", { failurePolicy: 'Ignore' }, ['k', 'exclude', expect.any(String)]],
    ['1', {}, ['k', 'error', 'compilation error: must evaluate to one of [string null_type] but got int']],
  ])('%s', ([expression, more, expected]) => {
    expect(annotate(expression, more)).toEqual([expected]);
  });
});

describe('authorizer', () => {
  const spec = one("authorizer.group('apps').resource('deployments').namespace('ns').check('create').allowed()");
  const question = {
    user: { username: 'tester', groups: ['testers'] },
    attributes: {
      type: 'resource',
      verb: 'create',
      group: 'apps',
      version: '*',
      resource: 'deployments',
      namespace: 'ns',
    },
  } as const;

  it('says which permission it needs, and counts the cost once', () => {
    const request = makeRequest();
    const cache = new CompileCache();
    const input = { policy: makePolicy(spec), param: null, request, matched: request, namespaceObject: null };
    const context = { compile: (policy: PolicyEvaluationInput['policy']) => cache.compile(policy) };
    expect(evaluatePolicy({ ...input, permissions: {} }, context)).toEqual({ needs: question });
    const permissions = { [keyOfQuestion(question)]: { allowed: true, reason: '' } };
    const known = evaluatePolicy({ ...input, permissions }, context);
    expect(known).toMatchObject({ decisions: [{ evaluation: 'admit' }] });
    expect((known as PolicyEvaluation).cost).toBeLessThan(2 * 350_000);
  });

  it('asks about the request itself', () => {
    expect(() => run(one("authorizer.requestResource.check('create').allowed()"))).toThrow('pods');
  });

  it('is not there for messages', () => {
    const message = "authorizer.path('/x').check('get').allowed() ? 'a' : 'b'";
    expect(decide(one('false', { message: 'm', messageExpression: message }))).toEqual([['deny', 'deny', 'm']]);
  });
});

it('ends when it is interrupted', () => {
  const bounds = { interrupt: () => true };
  expect(() => run(one(dear), {}, { bounds })).toThrow(EvaluationInterrupted);
});

it('keeps what each expression yielded', () => {
  const spec = { ...one('object.no == 1'), auditAnnotations: [{ key: 'k', valueExpression: "'v'" }] };
  expect(run(spec, {}, { traces: true }).traces).toEqual([
    {
      field: 'spec.validations[0].expression',
      expression: 'object.no == 1',
      error: "expression 'object.no == 1' resulted in error: no such key: no",
      cost: expect.any(Number),
    },
    { field: 'spec.auditAnnotations[0].valueExpression', expression: "'v'", result: 'v', cost: 0 },
  ]);
});
