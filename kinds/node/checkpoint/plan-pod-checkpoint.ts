import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { readItems, readText } from '../../workloads/read-field.ts';

/** Where a checkpoint of a pod's container is made; or why it cannot be, in Kubernetes' words of `pods/exec` (400). */
export type PodCheckpointPlan = { readonly nodeName: string; readonly container: string } | { readonly fault: string };

const containerFields = ['initContainers', 'containers', 'ephemeralContainers'] as const;

function listContainers(pod: KubeObject): string[] {
  return containerFields.flatMap((field) =>
    readItems(pod, 'spec', field).map((container) => readText(container, 'name')),
  );
}

function chooseContainer(pod: KubeObject, wanted: string): { readonly container: string } | { readonly fault: string } {
  const { name = '' } = pod.metadata;
  if (wanted !== '') {
    if (listContainers(pod).includes(wanted)) return { container: wanted };
    return { fault: `container ${wanted} is not valid for pod ${name}` };
  }
  const containers = readItems(pod, 'spec', 'containers');
  const [only] = containers;
  if (only === undefined) return { fault: `a container name must be specified for pod ${name}` };
  if (containers.length === 1) return { container: readText(only, 'name') };
  const names = listContainers(pod).join(' ');
  return { fault: `a container name must be specified for pod ${name}, choose one of: [${names}]` };
}

/** Finds the container and the node of a checkpoint of a pod; an empty `container` means the only one. */
export function planPodCheckpoint(pod: KubeObject, container: string): PodCheckpointPlan {
  const chosen = chooseContainer(pod, container);
  if ('fault' in chosen) return chosen;
  const nodeName = readText(pod, 'spec', 'nodeName');
  if (nodeName === '') return { fault: `pod ${pod.metadata.name ?? ''} does not have a host assigned` };
  return { nodeName, container: chosen.container };
}
