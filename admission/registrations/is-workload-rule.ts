import type { WebhookRule } from './webhook-configuration.ts';

/** What lives in namespaces and is made by people and their controllers alone: `undefined` stands for every kind of the group. */
const workloads: ReadonlyMap<string, ReadonlySet<string> | undefined> = new Map([
  ['', new Set(['pods'])],
  ['apps', undefined],
  ['batch', undefined],
]);
/** Pods may be deleted by the release itself. */
const operations: ReadonlySet<string> = new Set(['CREATE', 'UPDATE']);

/**
 * Whether a rule is of nothing but workloads as they are created and changed: neither the API server nor a release ever writes these, nor
 * do nodes but for mirrors of static pods, which run whatever is answered.
 */
export function isWorkloadRule(rule: WebhookRule): boolean {
  return (
    rule.operations.every((operation) => operations.has(operation)) &&
    rule.resources.every((resource) => !resource.includes('/') && resource !== '*') &&
    rule.apiGroups.every(
      (group) => workloads.has(group) && rule.resources.every((one) => workloads.get(group)?.has(one) ?? true),
    )
  );
}
