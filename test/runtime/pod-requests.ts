import { workloadReference } from '../cluster/small-images.ts';

/** A container of a pod to be run; the workload image, unless it says another or what it is restored from. */
export interface ContainerRequest {
  readonly name: string;
  /** Memory that the workload fills. */
  readonly memoryMiB?: number;
  /** What the workload keeps in its memory, back to front. */
  readonly text?: string;
  readonly image?: string;
  /** Instead of what the image says. */
  readonly command?: readonly string[];
  /** Archive of a checkpoint that the container goes on from. */
  readonly restoredFrom?: string;
}

/** A pod to be run. */
export interface PodRequest {
  /** Absent: `default`. */
  readonly namespace?: string;
  readonly name: string;
  readonly containers: readonly ContainerRequest[];
  /** It has the machine's network instead of one of its own. */
  readonly hostNetwork?: boolean;
}

/** A pod and where it is to be. */
export interface PodPlan extends PodRequest {
  readonly namespace: string;
  readonly uid: string;
  readonly logFolder: string;
  readonly controlGroup: string;
}

function listPodLabels(pod: PodPlan): Record<string, string> {
  return {
    'io.kubernetes.pod.name': pod.name,
    'io.kubernetes.pod.namespace': pod.namespace,
    'io.kubernetes.pod.uid': pod.uid,
  };
}

function listNamespaces(pod: PodPlan): object {
  return { network: pod.hostNetwork ? 'NODE' : 'POD', pid: 'CONTAINER', ipc: pod.hostNetwork ? 'NODE' : 'POD' };
}

/** The configuration of a pod's sandbox, as a kubelet writes it. */
export function describeSandbox(pod: PodPlan): object {
  return {
    metadata: { name: pod.name, namespace: pod.namespace, uid: pod.uid, attempt: 0 },
    logDirectory: pod.logFolder,
    labels: listPodLabels(pod),
    annotations: { 'kubernetes.io/config.source': 'api' },
    linux: {
      cgroupParent: `/${pod.controlGroup}/pod${pod.uid}`,
      securityContext: { namespaceOptions: listNamespaces(pod) },
    },
  };
}

/** The configuration of a container, as a kubelet writes it. */
export function describeContainer(pod: PodPlan, container: ContainerRequest): object {
  const { name, memoryMiB = 0, text = '', image, command, restoredFrom } = container;
  const args = image === undefined && command === undefined ? [String(memoryMiB), text] : [];
  return {
    metadata: { name, attempt: 0 },
    image: { image: restoredFrom ?? image ?? workloadReference },
    ...(command && { command }),
    args,
    logPath: `${name}.log`,
    labels: { ...listPodLabels(pod), 'io.kubernetes.container.name': name },
    annotations: { 'io.kubernetes.container.restartCount': '0' },
    linux: {
      securityContext: { namespaceOptions: listNamespaces(pod), seccomp: { profileType: 'RuntimeDefault' } },
      // Nothing lower may be asked for without CAP_SYS_RESOURCE.
      resources: { oomScoreAdj: 1000 },
    },
  };
}
