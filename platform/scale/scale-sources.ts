import type { KindRegistry } from '../../kinds/registry.ts';
import type { FollowedResource } from '../kube/host-discovery.ts';
import { getIfPresent } from '../resources/get-if-present.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import { type FoundScale, workloadResources, type ScaledWorkload, type ScaleSource } from './find-controller-scale.ts';

/** How a kind is found, where it is served in the version that is named. */
export type FindScaledResource = ScaleSource['findResource'];

/** One that answers at once. */
export type FindKnownScale = (group: string, version: string, kind: string) => FoundScale;

/** Finds resources among the kinds that the API service serves. */
export function findRegisteredScale(registry: KindRegistry): FindKnownScale {
  return (group, version, kind) => {
    const found = registry.findByKind(group, version, kind);
    if (found === undefined) return undefined;
    const resource = { group, version: found.version, resource: found.plural };
    return { resource, namespaced: found.namespaced, hasScale: found.scale !== undefined };
  };
}

/** Finds resources among those that a host serves; `readResources` gives them as they are at the moment. */
export function findHostScale(readResources: () => readonly FollowedResource[]): FindKnownScale {
  return (group, version, kind) => {
    const found = readResources().find(
      (other) => other.group === group && other.kind === kind && other.servedVersions.includes(version),
    );
    if (found === undefined) return undefined;
    const { version: preferred, resource, namespaced, subresources } = found;
    return { resource: { group, version: preferred, resource }, namespaced, hasScale: subresources.includes('scale') };
  };
}

/** Reads every controller when it is asked for. */
export function createLiveScaleSource(client: ResourceClient, findResource: FindScaledResource): ScaleSource {
  return {
    client,
    findResource,
    readWorkload: (kind, namespace, name) =>
      getIfPresent<ScaledWorkload>(client, { resource: workloadResources[kind], namespace, name }),
  };
}
