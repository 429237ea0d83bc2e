import { expect, it } from 'vitest';
import type { KindName } from '../../kinds/admissionregistration/policy/policy-request.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { EquivalentKinds } from './equivalent-kinds.ts';

const budgets = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
const otherBudgets = { ...budgets, group: 'policy.bailiwick.dev' };
const scale: KindName = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

it.for<[string, typeof budgets, KindName, object[]]>([
  [
    'a kind of two groups',
    budgets,
    { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' },
    [{ resource: otherBudgets, kind: { ...otherBudgets, resource: undefined, kind: 'PodDisruptionBudget' } }],
  ],
  ['a subresource with a kind of its own', budgets, scale, [{ resource: otherBudgets, kind: scale }]],
  [
    'a kind of one group',
    { group: 'apps', version: 'v1', resource: 'deployments' },
    { group: 'apps', version: 'v1', kind: 'Deployment' },
    [],
  ],
  ['what is not served', { ...budgets, version: 'v2' }, scale, []],
])('knows the other names of %s', ([, resource, kind, expected]) => {
  const equivalents = new EquivalentKinds(buildKindRegistry('bailiwick.dev'));
  expect(equivalents.list({ resource, kind })).toEqual(expected);
});
