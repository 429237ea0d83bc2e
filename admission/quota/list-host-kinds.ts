import type { KindRegistry } from '../../kinds/registry.ts';
import type { CountableKind } from './usage-evaluators.ts';

/** A resource as a host's discovery names it. */
export interface DiscoveredResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** What quotas can count at a host, by the names that it has here: own kinds stand for the host's kinds of the same names. */
export function listHostKinds(registry: KindRegistry, resources: readonly DiscoveredResource[]): CountableKind[] {
  return resources.flatMap(({ group, version, resource, namespaced, verbs }): CountableKind[] => {
    const own = registry.kinds.find(
      (kind) => kind.plural === resource && [kind.group, kind.aliasGroup].includes(group),
    );
    if (own?.aliasGroup !== undefined && group === own.group) return [];
    return [
      {
        group: own?.group ?? group,
        version: own?.aliasGroup === undefined ? version : own.version,
        plural: resource,
        namespaced,
        verbs,
      },
    ];
  });
}
