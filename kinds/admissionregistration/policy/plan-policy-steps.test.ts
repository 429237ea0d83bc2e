import { expect, it } from 'vitest';
import type { ParamSource } from './plan-params.ts';
import { planPolicySteps } from './plan-policy-steps.ts';
import type { BoundPolicy } from './policy-request.ts';
import { makeBinding, makePolicy, makeRequest } from './testdata/make-request.ts';

const selectsProd = {
  matchPolicy: 'Equivalent' as const,
  namespaceSelector: { matchLabels: { env: 'prod' } },
  objectSelector: {},
};
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns', labels: { env: 'test' } } };
const withParams = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
const paramRef = { name: 'x', parameterNotFoundAction: 'Deny' };
const unknown: ParamSource = { fault: 'failed to find it' };
const empty: ParamSource = { namespaced: true, get: () => undefined, list: () => [] };

function plan(bound: BoundPolicy, facts: { source?: ParamSource; hasNamespace?: boolean } = {}): string[] {
  const planned = planPolicySteps(makeRequest(), [bound], {
    namespace: facts.hasNamespace === false ? undefined : namespace,
    params: () => facts.source,
  });
  return [...planned].flat().map((step) => {
    const binding = step.binding === undefined ? '' : ` ${step.binding.metadata.name}`;
    const text = step.type === 'skip' ? `: ${step.why}` : step.type === 'failure' ? `: ${step.message}` : '';
    return `${step.type}${binding}${text}`;
  });
}

it.for<[string, BoundPolicy, Parameters<typeof plan>[1], string[]]>([
  ['no bindings', { policy: makePolicy(), bindings: [] }, {}, ['skip: no binding puts it into effect']],
  [
    'each binding in order',
    { policy: makePolicy(), bindings: [makeBinding({}, 'a'), makeBinding({}, 'b')] },
    {},
    ['evaluate a', 'evaluate b'],
  ],
  [
    'another operation',
    {
      policy: makePolicy({
        matchConstraints: {
          ...makePolicy().spec.matchConstraints,
          resourceRules: [{ operations: ['DELETE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
        },
      }),
      bindings: [makeBinding()],
    },
    {},
    ['skip: no rule matches CREATE of pods, version v1'],
  ],
  [
    'a binding that narrows',
    { policy: makePolicy(), bindings: [makeBinding({ matchResources: selectsProd }, 'a'), makeBinding({}, 'b')] },
    {},
    ['skip a: the namespace does not match namespaceSelector env=prod', 'evaluate b'],
  ],
  [
    'a binding, and a namespace that is gone',
    { policy: makePolicy(), bindings: [makeBinding({ matchResources: selectsProd })] },
    { hasNamespace: false },
    ['failure b: failed to configure binding: namespaces "ns" not found'],
  ],
  [
    'a kind of parameters that nobody serves',
    { policy: makePolicy(withParams), bindings: [makeBinding({ paramRef }, 'a'), makeBinding({}, 'b')] },
    { source: unknown },
    [
      'failure a: failed to configure policy: failed to find it',
      'failure b: failed to configure policy: failed to find it',
    ],
  ],
  [
    'parameters that are not there',
    { policy: makePolicy(withParams), bindings: [makeBinding({ paramRef }, 'a'), makeBinding({}, 'b')] },
    { source: empty },
    [
      'failure a: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
      'evaluate b',
    ],
  ],
  [
    'parameters that need not be there',
    {
      policy: makePolicy(withParams),
      bindings: [makeBinding({ paramRef: { ...paramRef, parameterNotFoundAction: 'Allow' } })],
    },
    { source: empty },
    ['skip b: there are no such parameters'],
  ],
])('%s', ([, bound, facts, expected]) => {
  expect(plan(bound, facts)).toEqual(expected);
});
