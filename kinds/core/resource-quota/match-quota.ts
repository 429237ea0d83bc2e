import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ResourceQuotaSpec, ScopeRequirement } from './schema.ts';
import type { UsageEvaluator } from './usage-evaluator.ts';

/** Every requirement on scopes of a quota: its `scopes` and its `scopeSelector`. */
function listScopeRequirements(spec: ResourceQuotaSpec): ScopeRequirement[] {
  const named = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...named, ...(spec.scopeSelector?.matchExpressions ?? [])];
}

/** Whether an object is in all scopes of a quota. */
export function matchesScopes<T extends KubeObject>(
  spec: ResourceQuotaSpec,
  evaluator: UsageEvaluator<T>,
  object: T,
): boolean {
  return listScopeRequirements(spec).every((requirement) => evaluator.matchesScope(requirement, object));
}

/** Whether one of the names that stand for a scope (a class of an object) satisfies a requirement; no names: the object has none. */
export function matchesNames(requirement: ScopeRequirement, names: readonly string[]): boolean {
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return names.some((name) => values.includes(name));
    case 'NotIn':
      return names.length === 0 || names.some((name) => !values.includes(name));
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    default:
      return false;
  }
}
