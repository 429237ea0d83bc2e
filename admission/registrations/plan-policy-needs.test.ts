import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesLabelSelector } from '../../core/selectors/label-selector.ts';
import type { MatchResources, NamedRule } from '../../kinds/admissionregistration/match-resources.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../kinds/admissionregistration/validating-admission-policy-binding/schema.ts';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { classifyPolicy, formatPolicyPath, parsePolicyPath } from './classify-policy.ts';
import { intersectRules } from './intersect-rules.ts';
import { planPolicyNeeds } from './plan-policy-needs.ts';
import type { SelectorRequirement } from './webhook-configuration.ts';

const domain = 'example.org';
const pods = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'], scope: '*' };
const anyVersion = { ...pods, apiVersions: ['*'] };

function makePolicy(name: string, rules: NamedRule[], spec: object = {}, match: object = {}) {
  const matchConstraints = { resourceRules: rules, namespaceSelector: {}, objectSelector: {}, ...match };
  const metadata = { name, uid: `uid-${name}` };
  return { metadata, spec: { matchConstraints, failurePolicy: 'Fail', ...spec } } as ValidatingAdmissionPolicy;
}

function makeBinding(policyName: string, matchResources?: object): ValidatingAdmissionPolicyBinding {
  const spec = { policyName, ...(matchResources === undefined ? {} : { matchResources }) };
  return { metadata: { name: 'b' }, spec } as ValidatingAdmissionPolicyBinding;
}

function showNeeds(policies: ValidatingAdmissionPolicy[], bindings: ValidatingAdmissionPolicyBinding[]) {
  return planPolicyNeeds(policies, bindings, domain).map(({ name, path, configuration, failurePolicy, rules }) => {
    const shown = rules.map(
      ({ operations, apiGroups, apiVersions, resources }) =>
        `${operations.join()} ${apiGroups.join()}/${apiVersions.join()}/${resources.join()}`,
    );
    return `${configuration} ${name} ${failurePolicy} ${path.slice('/validate/policies'.length)}: ${shown.join('; ')}`;
  });
}

describe('planPolicyNeeds', () => {
  const entry = 'validation.policy.admission';

  it.for<[string, ValidatingAdmissionPolicy[], ValidatingAdmissionPolicyBinding[], string[]]>([
    ['a policy that nothing binds', [makePolicy('p', [pods])], [], []],
    ['a binding of nothing', [makePolicy('p', [pods])], [makeBinding('q')], []],
    [
      'one that fails closed',
      [makePolicy('p', [pods])],
      [makeBinding('p')],
      [`0 ${entry} Fail /fail/v1: CREATE /v1/pods`],
    ],
    [
      'both failure policies',
      [makePolicy('p', [pods]), makePolicy('q', [pods], { failurePolicy: 'Ignore' })],
      [makeBinding('p'), makeBinding('q')],
      [`0 ${entry} Fail /fail/v1: CREATE /v1/pods`, `1 ${entry} Ignore /ignore/v1: CREATE /v1/pods`],
    ],
    [
      'every version',
      [makePolicy('p', [anyVersion]), makePolicy('q', [anyVersion], { failurePolicy: 'Ignore' })],
      [makeBinding('p'), makeBinding('q')],
      [`2 ${entry} Fail /fail/any: CREATE /*/pods`, `3 ${entry} Ignore /ignore/any: CREATE /*/pods`],
    ],
    [
      'other versions',
      [makePolicy('p', [{ ...pods, apiVersions: ['v2', 'v1'] }]), makePolicy('q', [pods, anyVersion])],
      [makeBinding('p'), makeBinding('q')],
      [
        `0 mixed-uid-q.${entry} Fail /fail/mixed-uid-q: CREATE /*/pods; CREATE /v1/pods`,
        `0 v1.v2.${entry} Fail /fail/v1.v2: CREATE /v2,v1/pods`,
      ],
    ],
    [
      'rules that policies share, once',
      [makePolicy('p', [pods]), makePolicy('q', [pods, { ...pods, resources: ['secrets'] }])],
      [makeBinding('p'), makeBinding('p'), makeBinding('q')],
      [`0 ${entry} Fail /fail/v1: CREATE /v1/pods; CREATE /v1/secrets`],
    ],
    [
      'a binding that narrows to nothing',
      [makePolicy('p', [pods])],
      [makeBinding('p', { resourceRules: [{ ...pods, resources: ['secrets'] }] })],
      [],
    ],
  ])('%s', ([, policies, bindings, expected]) => {
    expect(showNeeds(policies, bindings)).toEqual(expected);
  });

  it('asks where policies and bindings look, never about policies, and not the host about itself', () => {
    const selector = (team: string) => ({ matchLabels: { team } });
    const everything = { apiGroups: ['*'], apiVersions: ['v1'], resources: ['*/*'], operations: ['*'], scope: '*' };
    const [need] = planPolicyNeeds(
      [
        makePolicy('p', [everything], {}, { namespaceSelector: selector('a') }),
        makePolicy('q', [pods], {}, { objectSelector: selector('x') }),
      ],
      [
        makeBinding('p', { objectSelector: selector('x') }),
        makeBinding('q', { namespaceSelector: selector('b'), objectSelector: selector('y') }),
      ],
      domain,
    );
    expect(need).toMatchObject({
      namespaceSelector: [{ key: 'team', operator: 'In', values: ['a', 'b'] }],
      objectSelector: [{ key: 'team', operator: 'In', values: ['x'] }],
    });
    expect(need?.matchConditions?.map(({ name }) => name)).toEqual([
      'not-policies',
      'not-questions',
      'not-the-host-itself',
    ]);
    const [narrow] = planPolicyNeeds([makePolicy('p', [{ ...pods, scope: 'Namespaced' }])], [makeBinding('p')], domain);
    expect(narrow?.matchConditions).toEqual([]);
  });

  it.for<[string, NamedRule, boolean, string[]]>([
    ['pods as they are created', pods, false, []],
    ['workloads of groups', { ...pods, apiGroups: ['apps', 'batch'], resources: ['deployments', 'jobs'] }, false, []],
    ['pods that the release may delete', { ...pods, operations: ['CREATE', 'DELETE'] }, true, ['not-the-host-itself']],
    ['what nodes report', { ...pods, resources: ['pods/status'] }, true, ['not-the-host-itself']],
    ['a whole group', { ...pods, resources: ['*'] }, true, ['not-the-host-itself']],
    ['what the API server keeps', { ...pods, resources: ['pods', 'services'] }, true, ['not-the-host-itself']],
    ['another group besides', { ...pods, apiGroups: ['', 'example.org'] }, true, ['not-the-host-itself']],
  ])(
    'spares those who keep a host alive, at the cost of a condition, where they write: %s',
    ([, rule, spares, names]) => {
      const [need] = planPolicyNeeds([makePolicy('p', [rule])], [makeBinding('p')], domain);
      expect(need?.isSparing).toBe(spares);
      expect(need?.matchConditions?.map(({ name }) => name)).toEqual(names);
    },
  );

  it('is called for whatever a policy and its binding both match', () => {
    const list = (...values: string[]): fc.Arbitrary<string[]> =>
      fc.oneof(fc.constant<string[]>(['*']), fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }));
    const rule: fc.Arbitrary<NamedRule> = fc.record({
      operations: list('CREATE', 'UPDATE'),
      apiGroups: list('', 'apps'),
      apiVersions: fc.constant(['v1']),
      resources: fc.uniqueArray(fc.constantFrom('pods', 'pods/status', 'deployments', '*', '*/*', 'pods/*'), {
        minLength: 1,
      }),
      scope: fc.constantFrom('*', 'Namespaced', 'Cluster'),
    });
    const selector = fc.record(
      { matchLabels: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('a', 'b')) },
      { requiredKeys: [] },
    );
    const match = (minLength: number) =>
      fc.record({
        resourceRules: fc.array(rule, { minLength, maxLength: 2 }),
        namespaceSelector: selector,
        objectSelector: selector,
      });
    const labels = fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('a', 'b'));
    const request = fc.record({
      operation: fc.constantFrom('CREATE', 'UPDATE'),
      group: fc.constantFrom('', 'apps'),
      resource: fc.constantFrom('pods', 'deployments'),
      subresource: fc.constantFrom('', 'status'),
      isNamespaced: fc.boolean(),
      ...{ namespaceLabels: labels, old: labels, new: labels },
    });
    type Request = typeof request extends fc.Arbitrary<infer R> ? R : never;
    const isOneOf = (values: readonly string[] = [], value: string) => values.includes('*') || values.includes(value);
    const isRuled = (rules: readonly Partial<NamedRule>[], asked: Request) =>
      rules.some(
        ({ operations, apiGroups, resources = [], scope }) =>
          isOneOf(operations, asked.operation) &&
          isOneOf(apiGroups, asked.group) &&
          (scope === '*' || (scope === 'Namespaced') === asked.isNamespaced) &&
          resources.some((pattern) => {
            const [resource = '', subresource = ''] = pattern.split('/');
            return isOneOf([resource], asked.resource) && isOneOf([subresource], asked.subresource);
          }),
      );
    const isMatched = ({ resourceRules = [], namespaceSelector, objectSelector }: MatchResources, asked: Request) =>
      (resourceRules.length === 0 || isRuled(resourceRules, asked)) &&
      (!asked.isNamespaced || matchesLabelSelector(namespaceSelector, asked.namespaceLabels)) &&
      [asked.old, asked.new].some((one) => matchesLabelSelector(objectSelector, one));
    const meets = (requirements: readonly SelectorRequirement[] = [], found: Record<string, string>) =>
      matchesLabelSelector(
        { matchExpressions: requirements.map(({ values = [], ...one }) => ({ ...one, values: [...values] })) },
        found,
      );
    fc.assert(
      fc.property(fc.array(fc.tuple(match(1), match(0)), { minLength: 1, maxLength: 3 }), request, (pairs, asked) => {
        const policies = pairs.map(([policy], i) => makePolicy(`p${i}`, [], {}, policy));
        const bindings = pairs.map(([, binding], i) => makeBinding(`p${i}`, binding));
        const isAsked = pairs.some(([policy, binding]) => isMatched(policy, asked) && isMatched(binding, asked));
        const isCalled = planPolicyNeeds(policies, bindings, domain).some(
          (need) =>
            isRuled(need.rules as readonly Partial<NamedRule>[], asked) &&
            (!asked.isNamespaced || meets(need.namespaceSelector, asked.namespaceLabels)) &&
            [asked.old, asked.new].some((one) => meets(need.objectSelector, one)),
        );
        expect(!isAsked || isCalled).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('classifyPolicy', () => {
  it.for<[string, NamedRule[], string]>([
    ['one version', [pods, pods], 'v1'],
    ['all versions', [anyVersion], 'any'],
    ['several', [{ ...pods, apiVersions: ['v1beta1', 'v1'] }], 'v1.v1beta1'],
    ['rules that differ', [pods, anyVersion], 'mixed-uid-p'],
    ['events of one group', [{ ...pods, resources: ['events'] }], 'v1.core-events'],
    ['events of the other', [{ ...pods, apiGroups: ['events.k8s.io'], resources: ['*/*'] }], 'v1.new-events'],
    ['events of both', [{ ...pods, apiGroups: ['*'], resources: ['*'] }], 'v1'],
    ['what could not be part of a path', [{ ...pods, apiVersions: ['V_1'] }], 'mixed-uid-p'],
    ['what would be taken for another', [{ ...pods, apiVersions: ['any'] }], 'mixed-uid-p'],
  ])('%s', ([, rules, versions]) => {
    const found = classifyPolicy(makePolicy('p', rules));
    expect(found).toEqual({ failurePolicy: 'Fail', versions });
    expect(parsePolicyPath(formatPolicyPath(found))).toEqual(found);
  });

  it.for(['/validate/quota', '/validate/policies/', '/validate/policies/fail', '/validate/policies/fail/a/b'])(
    'no class: %s',
    (path) => expect(parsePolicyPath(path)).toBeUndefined(),
  );
});

describe('intersectRules', () => {
  it.for<[string, Partial<NamedRule>, Partial<NamedRule>, string | undefined, string]>([
    ['subresources', { resources: ['pods/*'] }, { resources: ['*/status'] }, undefined, 'CREATE /v1/pods/status'],
    ['what is covered', { resources: ['*'] }, { resources: ['pods', '*'] }, undefined, 'CREATE /v1/*'],
    ['operations', { operations: ['*'] }, { operations: ['CREATE', 'DELETE'] }, undefined, 'CREATE,DELETE /v1/pods'],
    ['versions stay', {}, { apiVersions: ['v2'] }, undefined, 'CREATE /v1/pods'],
    ['other groups', { apiGroups: ['a'] }, { apiGroups: ['b'] }, 'Exact', ''],
    ['other groups of the same objects', { apiGroups: ['a'] }, { apiGroups: ['b'] }, 'Equivalent', 'CREATE a/v1/pods'],
    ['scopes', { scope: 'Cluster' }, { scope: 'Namespaced' }, undefined, ''],
  ])('%s', ([, policy, binding, matchPolicy, expected]) => {
    const rules = intersectRules(
      { resourceRules: [{ ...pods, ...policy }] },
      { resourceRules: [{ ...pods, ...binding }], ...(matchPolicy === undefined ? {} : { matchPolicy }) },
    );
    const shown = rules.map(
      ({ operations, apiGroups, apiVersions, resources }) =>
        `${operations.join()} ${apiGroups.join()}/${apiVersions.join()}/${resources.join()}`,
    );
    expect(shown.join('; ')).toBe(expected);
  });
});
