import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject, OwnerReference } from '../../core/meta/kube-object.ts';
import { formatGroupResource, parseApiVersion, type ResourceName } from '../../core/meta/resource-name.ts';
import { findControllerReference } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import type { ControllerScale, ScaleAnswer } from '../../kinds/policy/pod-disruption-budget/count-expected-pods.ts';
import type { ResourceClient } from '../resources/resource-client.ts';

/** A controller that is read as an object. */
export interface ScaledWorkload extends KubeObject {
  readonly spec?: { readonly replicas?: number | null };
}

/** The built-in kinds that make pods by a number of replicas. */
export type ScaledWorkloadKind = 'Deployment' | 'ReplicaSet' | 'ReplicationController' | 'StatefulSet';

/** A resource as discovery tells of it. */
export interface DiscoveredScale {
  readonly resource: ResourceName;
  readonly namespaced: boolean;
  readonly hasScale: boolean;
}

/** `undefined` where no such kind is served in the version that is named. */
export type FoundScale = DiscoveredScale | undefined;

/** Where controllers are looked up. */
export interface ScaleSource {
  /** A built-in workload; `undefined` when there is none, or it is not seen yet. */
  readWorkload(kind: ScaledWorkloadKind, namespace: string, name: string): Promise<ScaledWorkload | undefined>;
  /** The resource of a kind, in whichever version it is to be read; `undefined` when the kind is not served in `version`. */
  findResource(group: string, version: string, kind: string): FoundScale | Promise<FoundScale>;
  /** For scale subresources. */
  readonly client: ResourceClient;
  /** Gives what `read` finds for a controller, or what it found lately; absent: everything is read. */
  readonly remember?: (namespace: string, key: string, read: () => Promise<ScaleAnswer>) => Promise<ScaleAnswer>;
}

interface ScaleObject extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

/** Resources of the built-in workloads. */
export const workloadResources: Readonly<Record<ScaledWorkloadKind, ResourceName>> = {
  Deployment: { group: 'apps', version: 'v1', resource: 'deployments' },
  ReplicaSet: { group: 'apps', version: 'v1', resource: 'replicasets' },
  ReplicationController: { group: '', version: 'v1', resource: 'replicationcontrollers' },
  StatefulSet: { group: 'apps', version: 'v1', resource: 'statefulsets' },
};

const groupsOfWorkload: Readonly<Record<ScaledWorkloadKind, readonly string[]>> = {
  Deployment: ['apps', 'extensions'],
  ReplicaSet: ['apps', 'extensions'],
  ReplicationController: [''],
  StatefulSet: ['apps'],
};

function isWorkloadKind(kind: string): kind is ScaledWorkloadKind {
  return Object.hasOwn(workloadResources, kind);
}

function scaleOf(workload: ScaledWorkload): ControllerScale {
  return { uid: workload.metadata.uid ?? '', replicas: workload.spec?.replicas ?? 1 };
}

/** The workload that a reference means; `undefined` when another one has its name. */
async function readReferred(
  source: ScaleSource,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): Promise<ScaledWorkload | undefined> {
  const group = parseApiVersion(apiVersion)?.group;
  if (group === undefined || !isWorkloadKind(kind) || !groupsOfWorkload[kind].includes(group)) return undefined;
  const workload = await source.readWorkload(kind, namespace, name);
  return workload?.metadata.uid === uid ? workload : undefined;
}

async function findWorkloadScale(
  source: ScaleSource,
  reference: OwnerReference,
  namespace: string,
): Promise<ControllerScale | undefined> {
  // Nobody's pods refer to a Deployment as their controller: it works through its replica sets.
  if (reference.kind === 'Deployment') return undefined;
  const workload = await readReferred(source, reference, namespace);
  if (workload === undefined) return undefined;
  const above = reference.kind === 'ReplicaSet' ? findControllerReference(workload) : undefined;
  if (above?.kind !== 'Deployment') return scaleOf(workload);
  const deployment = await readReferred(source, above, namespace);
  return deployment === undefined ? undefined : scaleOf(deployment);
}

async function readServedScale(
  { client }: ScaleSource,
  resource: ResourceName,
  namespace: string,
  { name, uid }: OwnerReference,
): Promise<ScaleAnswer> {
  try {
    const scale = await client.get<ScaleObject>({ resource, namespace, name }, {}, 'scale');
    return scale.metadata.uid === uid ? { uid, replicas: scale.spec?.replicas ?? 0 } : 'absent';
  } catch (error) {
    if (hasReason(error, 'NotFound')) return 'absent';
    throw error;
  }
}

async function readScale(source: ScaleSource, reference: OwnerReference, namespace: string): Promise<ScaleAnswer> {
  const { apiVersion, kind, name, uid } = reference;
  const parsed = parseApiVersion(apiVersion);
  if (parsed === undefined) return { fault: `unexpected GroupVersion string: ${apiVersion}` };
  const found = await source.findResource(parsed.group, parsed.version, kind);
  if (found === undefined) return { fault: `no matches for kind "${kind}" in version "${apiVersion}"` };
  const { resource, namespaced, hasScale } = found;
  if (!hasScale || !namespaced) {
    return {
      fault: `${formatGroupResource(resource.group, resource.resource)} does not implement the scale subresource`,
    };
  }
  const read = (): Promise<ScaleAnswer> => readServedScale(source, resource, namespace, reference);
  if (source.remember === undefined) return read();
  return source.remember(namespace, [resource.group, resource.resource, name, uid].join('/'), read);
}

/**
 * How many pods the controller that a pod in `namespace` refers to wants: the built-in kinds as objects, a Deployment in place of its
 * replica sets, every other kind through its scale subresource. Throws what reading throws.
 */
export async function findControllerScale(
  source: ScaleSource,
  reference: OwnerReference,
  namespace: string,
): Promise<ScaleAnswer> {
  return (await findWorkloadScale(source, reference, namespace)) ?? readScale(source, reference, namespace);
}
