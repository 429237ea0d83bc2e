import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/meta/json.ts';
import { makeBinding, makePolicy } from '../../kinds/admissionregistration/policy/testdata/make-request.ts';
import type { BoundPolicy } from '../../kinds/admissionregistration/policy/policy-request.ts';
import type { AdmissionReviewStatus } from '../../kinds/review/admission-review/schema.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { PolicyDecider } from '../policy/decide-policies.ts';
import type { PolicyServices } from '../policy/policy-services.ts';
import { UsageEvaluators } from '../quota/usage-evaluators.ts';
import { answerAdmissionReview } from './answer-admission-review.ts';
import type { ReviewServices } from './review-services.ts';

const registry = buildKindRegistry('bailiwick.dev');
const clock = { now: () => 0 } as ReviewServices['clock'];
const param = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'limits', namespace: 'n' }, data: { max: '1' } };
const configMaps = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };

function makeServices(bound: readonly BoundPolicy[], mayListPolicies = true): ReviewServices {
  const services: PolicyServices = {
    domain: registry.domain,
    clock,
    findNamespace: async (name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { env: 'test' } },
    }),
    findParams: async () => ({
      namespaced: true,
      get: (name) => (name === 'limits' ? param : undefined),
      list: () => [param],
    }),
    askPermission: async ({ user }) => ({ allowed: user.username === 'root', reason: '' }),
    listEquivalents: () => [],
    findSchema: () => undefined,
  };
  return {
    domain: registry.domain,
    clock,
    ranges: { list: async () => [] },
    quotas: { list: async () => [] },
    evaluators: new UsageEvaluators(registry.kinds),
    policies: { services, decider: new PolicyDecider(services), index: { listAll: () => bound } },
    findKind: async (group, version, kind) => {
      const definition = registry.findByKind(group, version, kind);
      return definition && { ...definition, definition };
    },
    isEnforced: () => true,
    mayList: async () => true,
    mayListPolicies: async () => mayListPolicies,
  };
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'c', image: 'c' }] },
};

async function ask(
  bound: readonly BoundPolicy[],
  object: JsonObject = pod,
  options: { readonly mayList?: boolean; readonly username?: string } = {},
): Promise<AdmissionReviewStatus> {
  const review = { apiVersion: 'review.bailiwick.dev/v1', kind: 'AdmissionReview', metadata: {}, spec: { object } };
  const user = { username: options.username ?? 'u', groups: [] };
  const answer = await answerAdmissionReview(makeServices(bound, options.mayList), { namespace: 'n', review, user });
  return answer['status'] as unknown as AdmissionReviewStatus;
}

describe('an admission review', () => {
  it('says what every expression yields, costs and tells', async () => {
    const spec = {
      matchConditions: [{ name: 'named', expression: "object.metadata.name == 'a'" }],
      variables: [{ name: 'count', expression: 'size(object.spec.containers)' }],
      validations: [
        { expression: 'variables.count > 0' },
        { expression: 'variables.count > 1', messageExpression: "'only ' + string(variables.count)" },
        { expression: 'object.spec.none == 1' },
      ],
      auditAnnotations: [{ key: 'names', valueExpression: "object.spec.containers.map(c, c.name).join(',')" }],
    };
    const status = await ask([{ policy: makePolicy(spec), bindings: [makeBinding()] }]);
    const denial = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: only 1";
    expect(status).toMatchObject({
      allowed: false,
      reason: denial,
      code: 422,
      matching: 1,
      auditAnnotations: { 'p/names': 'c' },
      policies: [{ name: 'p', matches: true, bindings: [{ name: 'b', matches: true, validationActions: ['Deny'] }] }],
    });
    const [binding] = status.policies?.[0]?.bindings ?? [];
    const error = "expression 'object.spec.none == 1' resulted in error: no such key: none";
    expect(binding?.failures).toEqual(['only 1', error]);
    expect(
      binding?.expressions?.map(({ field, result, error: fault, message }) => [field, result ?? fault, message]),
    ).toEqual(
      expect.arrayContaining([
        ['spec.matchConditions[0].expression', 'true', undefined],
        ['spec.validations[0].expression', 'true', undefined],
        ['spec.validations[1].expression', 'false', 'only 1'],
        ['spec.validations[1].messageExpression', '"only 1"', undefined],
        ['spec.validations[2].expression', error, undefined],
        ['spec.auditAnnotations[0].valueExpression', '"c"', undefined],
      ]),
    );
    const costs = binding?.expressions?.map(({ cost }) => cost) ?? [];
    expect(Math.min(...costs)).toBeGreaterThan(0);
    expect(binding?.cost).toBe(costs.reduce((sum, cost) => sum + cost, 0));
  });

  it('says of what does not match the first reason why', async () => {
    const selector = {
      matchPolicy: 'Equivalent' as const,
      namespaceSelector: { matchLabels: { env: 'prod' } },
      objectSelector: {},
    };
    const status = await ask([
      { policy: makePolicy({}, 'unbound'), bindings: [] },
      {
        policy: makePolicy({ matchConditions: [{ name: 'never', expression: 'false' }] }),
        bindings: [makeBinding({}, 'conditional'), makeBinding({ matchResources: selector }, 'narrow')],
      },
    ]);
    expect(status).toEqual({
      allowed: true,
      matching: 0,
      policies: [
        { name: 'unbound', matches: false, why: 'no binding puts it into effect' },
        {
          name: 'p',
          matches: false,
          bindings: [
            expect.objectContaining({
              name: 'conditional',
              matches: false,
              why: 'the match condition "never" is false',
              expressions: [expect.objectContaining({ result: 'false' })],
            }),
            {
              name: 'narrow',
              validationActions: ['Deny'],
              matches: false,
              why: 'the namespace does not match namespaceSelector env=prod',
              cost: 0,
            },
          ],
        },
      ],
    });
  });

  it('names parameters, and what is misconfigured', async () => {
    const policy = makePolicy({
      ...configMaps,
      validations: [{ expression: "params.data.max == '2'", message: 'no' }],
    });
    const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' };
    const status = await ask([
      {
        policy,
        bindings: [
          makeBinding({ paramRef }, 'found'),
          makeBinding({ paramRef: { ...paramRef, name: 'none' }, validationActions: ['Warn'] }, 'missing'),
        ],
      },
    ]);
    expect(status.policies?.[0]?.bindings).toMatchObject([
      { name: 'found', param: 'n/limits', matches: true, failures: ['no'] },
      { name: 'missing', matches: true, failures: [expect.stringContaining('no params found')] },
    ]);
    expect(status.warnings).toHaveLength(1);
  });

  it('says to somebody who may not list policies what a write would', async () => {
    const policy = makePolicy({
      validations: [{ expression: 'false', message: 'no' }],
      auditAnnotations: [{ key: 'k', valueExpression: "'v'" }],
    });
    expect(await ask([{ policy, bindings: [makeBinding()] }], pod, { mayList: false })).toEqual({
      allowed: false,
      reason: "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
      code: 422,
      matching: 1,
    });
  });

  it.for([
    ['root', true],
    ['jane', false],
  ] as const)('asks what %s may do', async ([username, allowed]) => {
    const policy = makePolicy({ validations: [{ expression: "authorizer.path('/x').check('get').allowed()" }] });
    expect(await ask([{ policy, bindings: [makeBinding()] }], pod, { username })).toMatchObject({ allowed });
  });

  it('is about objects that live in no namespace, too', async () => {
    const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] };
    const matchConstraints = { ...makePolicy().spec.matchConstraints!, resourceRules: [rule] };
    const policy = makePolicy({ matchConstraints, validations: [{ expression: 'has(object.metadata.namespace)' }] });
    const object = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'x' }, value: 1 };
    const bound = [{ policy, bindings: [makeBinding()] }];
    expect(await ask(bound, object)).toMatchObject({ allowed: false, matching: 1 });
    expect(await ask(bound)).toMatchObject({ allowed: true, matching: 1 });
  });

  it('cuts long results, and finds policies alone in nothing', async () => {
    const policy = makePolicy({ auditAnnotations: [{ key: 'k', valueExpression: `'${'x'.repeat(2000)}'` }] });
    const status = await ask([{ policy, bindings: [makeBinding()] }]);
    const results = status.policies?.[0]?.bindings?.[0]?.expressions?.map(({ result }) => result?.length);
    expect(results).toContain(1001);
    expect(await ask([])).toEqual({ allowed: true, matching: 0 });
  });
});
