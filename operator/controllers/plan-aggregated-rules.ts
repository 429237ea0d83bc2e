import { deepEqual } from '../../core/meta/deep.ts';
import { matchesLabelSelector } from '../../core/selectors/label-selector.ts';
import type { PolicyRule, RoleObject } from '../apiserver/authz/rbac/rbac-objects.ts';

/**
 * The rules that an aggregated cluster role must have: those of every role that one of its selectors matches, by name within a selector,
 * each once. `undefined` when the role is not aggregated or has them already.
 */
export function planAggregatedRules(role: RoleObject, roles: readonly RoleObject[]): PolicyRule[] | undefined {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (selectors === undefined || selectors.length === 0) return undefined;
  const others = roles.filter((other) => other.metadata.name !== role.metadata.name);
  others.sort((left, right) => ((left.metadata.name ?? '') < (right.metadata.name ?? '') ? -1 : 1));
  const wanted: PolicyRule[] = [];
  for (const selector of selectors) {
    for (const other of others) {
      if (!matchesLabelSelector(selector, other.metadata.labels ?? {})) continue;
      for (const rule of other.rules ?? []) {
        if (!wanted.some((known) => deepEqual(known, rule))) wanted.push(rule);
      }
    }
  }
  return deepEqual(role.rules ?? [], wanted) ? undefined : wanted;
}
