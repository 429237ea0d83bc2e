import { formatGroupResource } from '../../../core/meta/resource-name.ts';
import { quantityFromInteger } from '../../../core/quantity/quantity.ts';
import type { UsageEvaluator } from './usage-evaluator.ts';

const ONE = quantityFromInteger(1);
/** Resources that quotas counted by a plain name before `count/` was there. */
const plainNames: ReadonlySet<string> = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);

/** Name by which a quota counts any resource: `count/deployments.apps`. */
export function formatCountName(group: string, resource: string): string {
  return `count/${formatGroupResource(group, resource)}`;
}

/** Counts the objects of one resource, as `count/<resource>.<group>` and, for some, by the plain name. Scopes never match. */
export function makeObjectCountEvaluator(group: string, resource: string): UsageEvaluator {
  const names = [formatCountName(group, resource)];
  if (group === '' && plainNames.has(resource)) names.push(resource);
  const usage = new Map(names.map((name) => [name, ONE]));
  return {
    group,
    resource,
    countsOnly: true,
    handles: (request) => request.operation === 'CREATE' && request.subresource === undefined,
    selectResources: (hard) => [...hard].filter((name) => usage.has(name)).toSorted(),
    matchesScope: () => false,
    measure: () => usage,
  };
}
