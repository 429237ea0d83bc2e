import type { ResourceName } from '../../../core/meta/resource-name.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';

/** Every namespaced resource whose objects can be deleted now, in one of the versions that it is served in. */
export function listDeletable(registry: Pick<KindRegistry, 'kinds'>): ResourceName[] {
  const resources = new Map<string, ResourceName>();
  for (const { group, version, plural, namespaced, verbs } of registry.kinds) {
    const key = `${group}/${plural}`;
    if (!namespaced || verbs?.includes('deletecollection') === false || resources.has(key)) continue;
    resources.set(key, { group, version, resource: plural });
  }
  return [...resources.values()];
}
