import { deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { findMissingRules } from '../../apiserver/authz/rbac/cover-rules.ts';
import type { BindingObject, RoleObject } from '../../apiserver/authz/rbac/rbac-objects.ts';
import { autoUpdateAnnotation } from './build-rbac-objects.ts';

/** What to do about a default object: `replace` deletes it first, since what must change cannot be changed. */
export type Reconciliation<T extends KubeObject> =
  { readonly action: 'none' } | { readonly action: 'create' | 'update' | 'replace'; readonly object: T };

/** Labels and annotations of the stored object stay; those of the default one that are absent are added. */
function mergeMetadata<T extends KubeObject>(stored: T, expected: T): T {
  return {
    ...stored,
    metadata: {
      ...stored.metadata,
      labels: { ...expected.metadata.labels, ...stored.metadata.labels },
      annotations: { ...expected.metadata.annotations, ...stored.metadata.annotations },
    },
  };
}

function isProtected(object: KubeObject): boolean {
  return object.metadata.annotations?.[autoUpdateAnnotation] === 'false';
}

function compare<T extends KubeObject>(stored: T, wanted: T): Reconciliation<T> {
  return deepEqual(stored, wanted) ? { action: 'none' } : { action: 'update', object: wanted };
}

/**
 * Brings a stored role up to a default one: missing rules, selectors, labels and annotations are added, nothing is taken away.
 * A role annotated with `autoupdate: "false"` is left alone.
 */
export function planRoleReconciliation(
  stored: RoleObject | undefined,
  expected: RoleObject,
): Reconciliation<RoleObject> {
  if (stored === undefined) return { action: 'create', object: expected };
  if (isProtected(stored)) return { action: 'none' };
  const wanted = mergeMetadata(stored, expected);
  const missingRules = findMissingRules(stored.rules ?? [], expected.rules ?? []);
  if (missingRules.length > 0) wanted.rules = [...(stored.rules ?? []), ...missingRules];
  if (expected.aggregationRule === undefined) {
    delete wanted.aggregationRule;
  } else {
    const selectors = stored.aggregationRule?.clusterRoleSelectors ?? [];
    const missing = (expected.aggregationRule.clusterRoleSelectors ?? []).filter(
      (selector) => !selectors.some((candidate) => deepEqual(candidate, selector)),
    );
    if (missing.length > 0) wanted.aggregationRule = { clusterRoleSelectors: [...selectors, ...missing] };
  }
  return compare(stored, wanted);
}

/**
 * Brings a stored binding up to a default one: missing subjects, labels and annotations are added; one that gives another role is replaced.
 * A binding annotated with `autoupdate: "false"` is left alone.
 */
export function planBindingReconciliation(
  stored: BindingObject | undefined,
  expected: BindingObject,
): Reconciliation<BindingObject> {
  if (stored === undefined) return { action: 'create', object: expected };
  if (isProtected(stored)) return { action: 'none' };
  if (!deepEqual(stored.roleRef, expected.roleRef)) return { action: 'replace', object: expected };
  const wanted = mergeMetadata(stored, expected);
  const missing = (expected.subjects ?? []).filter(
    (subject) => !(stored.subjects ?? []).some((candidate) => deepEqual(candidate, subject)),
  );
  if (missing.length > 0) wanted.subjects = [...(stored.subjects ?? []), ...missing];
  return compare(stored, wanted);
}
