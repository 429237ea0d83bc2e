import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { isZeroQuantity, signOfQuantity } from '../../../core/quantity/quantity.ts';
import type { ResourceList } from '../resource-lists.ts';
import { addUsage, maximizeUsage, readUsage, type Usage } from '../resource-quota/usage.ts';

/** What a container, or a pod as a whole, asks for. */
export interface ResourceRequirements {
  requests?: ResourceList;
  limits?: ResourceList;
}

/** The parts of a container that decide what it uses. */
export interface ContainerResources {
  name: string;
  resources?: ResourceRequirements;
  restartPolicy?: string;
}

/** What the kubelet reports of a container's resources. */
export interface ContainerResourcesStatus {
  readonly name: string;
  readonly resources?: ResourceRequirements;
  readonly allocatedResources?: ResourceList;
}

interface AffinityTerm {
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: object | null;
}

interface AffinityTerms {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly { readonly podAffinityTerm: AffinityTerm }[];
}

/** A pod, as far as limits and quotas look at it. */
export interface PodResources extends KubeObject {
  spec?: {
    containers?: ContainerResources[];
    initContainers?: ContainerResources[];
    resources?: ResourceRequirements;
    overhead?: ResourceList;
    activeDeadlineSeconds?: number;
    priorityClassName?: string;
    affinity?: { readonly podAffinity?: AffinityTerms; readonly podAntiAffinity?: AffinityTerms };
  };
  status?: {
    phase?: string;
    qosClass?: string;
    conditions?: readonly { readonly type: string; readonly reason?: string }[];
    containerStatuses?: readonly ContainerResourcesStatus[];
    initContainerStatuses?: readonly ContainerResourcesStatus[];
  };
}

/** Which half of the requirements is meant. */
export type ResourceSide = 'requests' | 'limits';

/** What a container counts for. */
export type ContainerReader = (container: ContainerResources, isInit: boolean) => Usage;

/** Whether an init container keeps running beside the others. */
function isSidecar(container: ContainerResources): boolean {
  return container.restartPolicy === 'Always';
}

/**
 * What the containers of a pod need together: the sum of those that run at once, or the most that an init container needs
 * while it runs beside the sidecars started before it.
 */
export function sumContainers(pod: PodResources, read: ContainerReader): Usage {
  let sum: Usage = new Map();
  for (const container of pod.spec?.containers ?? []) sum = addUsage(sum, read(container, false));
  let sidecars: Usage = new Map();
  let peak: Usage = new Map();
  for (const container of pod.spec?.initContainers ?? []) {
    const own = read(container, true);
    if (isSidecar(container)) {
      sum = addUsage(sum, own);
      sidecars = addUsage(sidecars, own);
      peak = maximizeUsage(peak, sidecars);
    } else {
      peak = maximizeUsage(peak, addUsage(own, sidecars));
    }
  }
  return maximizeUsage(sum, peak);
}

/** What the specification alone says, without what the kubelet reports. */
export function readSpecified(side: ResourceSide): ContainerReader {
  return (container) => readUsage(container.resources?.[side]);
}

/** Whether a resource can be given to the pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Whether a resource is given to the pod as a whole on one of these sides. */
export function hasPodLevelResources(pod: PodResources, ...sides: ResourceSide[]): boolean {
  return sides.some((side) => Object.keys(pod.spec?.resources?.[side] ?? {}).some(isPodLevelResource));
}

function isResizeInfeasible(pod: PodResources): boolean {
  return pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';
}

/** Reads what a container is given or asks for, whichever is more, so that a resize under way is counted in full. */
function readEffective(pod: PodResources, side: ResourceSide): ContainerReader {
  const reported = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const isInfeasible = isResizeInfeasible(pod);
  return (container, isInit) => {
    const specified = readUsage(container.resources?.[side]);
    if (isInit && !isSidecar(container)) return specified;
    const status = reported.findLast(({ name }) => name === container.name);
    if (status?.resources === undefined) return specified;
    const actual = readUsage(status.resources[side]);
    const allocated = readUsage(side === 'requests' ? status.allocatedResources : undefined);
    const given = maximizeUsage(actual, allocated);
    return isInfeasible ? given : maximizeUsage(specified, given);
  };
}

/** What a pod needs as a whole, its overhead included: the pod's own figures where it has them, else those of its containers. */
export function sumPod(pod: PodResources, side: ResourceSide): Usage {
  const sum = new Map(sumContainers(pod, readEffective(pod, side)));
  for (const [name, amount] of readUsage(pod.spec?.resources?.[side])) {
    if (isPodLevelResource(name)) sum.set(name, amount);
  }
  const overhead = readUsage(pod.spec?.overhead);
  if (side === 'requests') return addUsage(sum, overhead);
  // A limit of zero means none: overhead would make one of it.
  const limited = [...overhead].filter(([name]) => {
    const limit = sum.get(name);
    return limit !== undefined && !isZeroQuantity(limit);
  });
  return addUsage(sum, new Map(limited));
}

function asksForCompute(resources: ResourceRequirements | undefined): boolean {
  return [resources?.requests, resources?.limits].some((list) =>
    [...readUsage(list)].some(([name, amount]) => ['cpu', 'memory'].includes(name) && signOfQuantity(amount) > 0),
  );
}

/** Whether a pod is of the BestEffort class: it asks for neither cpu nor memory. */
export function isBestEffort(pod: PodResources): boolean {
  const reported = pod.status?.qosClass ?? '';
  if (reported !== '') return reported === 'BestEffort';
  if (pod.spec?.resources !== undefined) return !asksForCompute(pod.spec.resources);
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return !containers.some((container) => asksForCompute(container.resources));
}

/** Whether a pod has affinity terms that look into other namespaces. */
export function usesCrossNamespaceAffinity(pod: PodResources): boolean {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) => {
    const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [...required, ...preferred.map((term) => term.podAffinityTerm)];
    return terms.some((term) => (term.namespaces ?? []).length > 0 || (term.namespaceSelector ?? null) !== null);
  });
}
