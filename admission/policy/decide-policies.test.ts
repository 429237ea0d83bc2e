import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type {
  EvaluationOutcome,
  PolicyEvaluationInput,
} from '../../kinds/admissionregistration/policy/evaluate-policy.ts';
import {
  makeBinding,
  makePolicy,
  makeRequest,
} from '../../kinds/admissionregistration/policy/testdata/make-request.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { PolicyDecider } from './decide-policies.ts';
import type { PolicyServices } from './policy-services.ts';

const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } };
const admitted: EvaluationOutcome = { decisions: [], annotations: [], cost: 7, traces: [] };
const nest = (depth: number): string => `${'[0,1,2,3,4,5,6,7,8,9].all(a, '.repeat(depth)}true${')'.repeat(depth)}`;

function makeServices(changes: Partial<PolicyServices> = {}): PolicyServices {
  return {
    domain: 'example.dev',
    clock: new ManualClock(1_000),
    findNamespace: async () => namespace,
    findParams: async () => ({ fault: 'none' }),
    askPermission: async () => ({ allowed: true, reason: '' }),
    listEquivalents: () => [],
    findSchema: () => undefined,
    ...changes,
  };
}

const bind = (expression: string, count = 1) => [
  {
    policy: makePolicy({ validations: [{ expression, message: 'no' }] }),
    bindings: Array.from({ length: count }, (_, i) => makeBinding({}, `b${i}`)),
  },
];

/** Takes a multiple of what one evaluation may, on any machine: nine millions of cost. */
function bindLong(count = 1) {
  const expression = Array.from({ length: 3 }, () => nest(5)).join(' && ');
  return [
    {
      policy: makePolicy({ validations: Array.from({ length: 15 }, () => ({ expression, message: 'no' })) }),
      bindings: Array.from({ length: count }, (_, i) => makeBinding({}, `b${i}`)),
    },
  ];
}

describe('permissions', () => {
  it('are asked for once in a request', async () => {
    const asked: unknown[] = [];
    const services = makeServices({
      askPermission: async ({ attributes }) => {
        asked.push(attributes.verb);
        return { allowed: attributes.verb === 'get', reason: '' };
      },
    });
    const may = (verb: string) => `authorizer.group('').resource('pods').check('${verb}').allowed()`;
    const bound = [...bind(`${may('get')} && !${may('list')}`), ...bind(`!${may('list')}`)];
    const { verdict } = await new PolicyDecider(services).decide(makeRequest(), bound, namespace);
    expect([verdict.refusal, asked]).toEqual([undefined, ['get', 'list']]);
  });
});

describe('what takes long', () => {
  it('goes elsewhere, and so does the same policy for a while', async () => {
    const sent: PolicyEvaluationInput[] = [];
    const services = makeServices({
      evaluateElsewhere: async (input) => {
        sent.push(input);
        return admitted;
      },
    });
    const decider = new PolicyDecider(services);
    const bound = bindLong(3);
    for (let i = 0; i < 2; i++) {
      const { verdict } = await decider.decide(makeRequest(), bound, namespace);
      expect([...verdict.costs]).toEqual([['p', 21]]);
    }
    expect(sent.length).toBe(2);
    expect(structuredClone(sent[0])?.policy).toEqual(bound[0]?.policy);
  });

  it('is not even compiled when it is long', async () => {
    const services = makeServices({ evaluateElsewhere: async () => admitted });
    const { verdict } = await new PolicyDecider(services).decide(
      makeRequest(),
      bind(`${'true && '.repeat(3000)}true`),
      namespace,
    );
    expect([...verdict.costs]).toEqual([['p', 7]]);
  });

  it('asks for what it needs to know from there, too', async () => {
    const question = {
      user: { username: 'u', groups: [] },
      attributes: { type: 'non-resource', verb: 'get', path: '/x' },
    } as const;
    const services = makeServices({
      evaluateElsewhere: async ({ permissions }) =>
        Object.keys(permissions).length === 0 ? { needs: question } : admitted,
    });
    const { verdict } = await new PolicyDecider(services).decide(makeRequest(), bindLong(), namespace);
    expect([...verdict.costs]).toEqual([['p', 7]]);
  });

  it.for([
    [
      'Fail',
      "ValidatingAdmissionPolicy 'p' with binding 'b0' denied request: operation interrupted: the time of the request is over",
    ],
    ['Ignore', undefined],
  ] as const)('has failed when it does not come back: %s', async ([failurePolicy, message]) => {
    const services = makeServices({ evaluateElsewhere: async () => undefined });
    const [{ policy, bindings }] = bindLong() as [ReturnType<typeof bindLong>[number]];
    const bound = [{ policy: { ...policy, spec: { ...policy.spec, failurePolicy } }, bindings }];
    const { verdict } = await new PolicyDecider(services).decide(makeRequest(), bound, namespace);
    expect(verdict.refusal?.message).toBe(message);
  });

  it('fails with what fails elsewhere, unless somebody is told of it', async () => {
    const evaluateElsewhere = () => Promise.reject(new Error('the thread is gone'));
    const services = makeServices({ evaluateElsewhere });
    await expect(new PolicyDecider(services).decide(makeRequest(), bindLong(), namespace)).rejects.toThrow('gone');
    const told: string[] = [];
    const onFailure = (_policy: unknown, error: unknown) => told.push(String(error));
    const patient = new PolicyDecider(makeServices({ evaluateElsewhere, onFailure }));
    const { verdict } = await patient.decide(makeRequest(), bindLong(), namespace);
    expect(verdict.refusal?.message).toContain('internal error: the policy could not be evaluated');
    expect(told).toEqual(['Error: the thread is gone']);
  });
});

it('does not begin what is late', async () => {
  const decider = new PolicyDecider(makeServices());
  const decide = (deadlineMillis: number) => decider.decide(makeRequest(), bind('true'), namespace, { deadlineMillis });
  expect((await decide(1_001)).verdict.refusal).toBeUndefined();
  expect((await decide(1_000)).verdict.refusal?.code).toBe(422);
});

it('lets others have their turn between policies', async () => {
  let turns = 0;
  const count = (): void => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const bound = [...bindLong(), ...bindLong(), ...bindLong()];
  await new PolicyDecider(makeServices()).decide(makeRequest(), bound, namespace);
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(2);
});

it('tells of messages that failed', async () => {
  const faults: string[] = [];
  const services = makeServices({ onMessageFault: ({ metadata }, fault) => faults.push(`${metadata.name}: ${fault}`) });
  const policy = makePolicy({ validations: [{ expression: 'false', messageExpression: "' '" }] });
  await new PolicyDecider(services).decide(makeRequest(), [{ policy, bindings: [makeBinding()] }], namespace);
  expect(faults).toEqual(['p: the result is empty']);
});

it('keeps every step and result when it is asked to', async () => {
  const bound = [{ policy: makePolicy({}, 'unbound'), bindings: [] }, ...bind('object.spec.containers.size() == 2')];
  const { steps } = await new PolicyDecider(makeServices()).decide(makeRequest(), bound, namespace, { traces: true });
  expect(steps).toMatchObject([
    { type: 'skip', why: 'no binding puts it into effect' },
    { type: 'evaluate', evaluation: { traces: [{ field: 'spec.validations[0].expression', result: true }] } },
  ]);
});
