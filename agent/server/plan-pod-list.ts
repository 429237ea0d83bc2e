import { formatTime } from '../../core/time/time.ts';
import type { RuntimeContainer, RuntimeContainerDetails, Sandbox } from '../cri/container-runtime.ts';

/** What a runtime said of its pods. */
export interface RuntimePods {
  /** Such as `containerd`. */
  readonly runtimeName: string;
  readonly nodeName: string;
  readonly sandboxes: readonly Sandbox[];
  readonly containers: readonly RuntimeContainer[];
  /** By the container's id; those that are gone meanwhile are not there. */
  readonly details: ReadonlyMap<string, RuntimeContainerDetails>;
  /** By the sandbox's id. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
}

/** A v1 PodList of what runs and ran on the node. */
export interface RuntimePodList {
  readonly kind: 'PodList';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly items: readonly object[];
}

/** Labels by which a kubelet finds its own sandboxes again; they are not the pod's. */
const ownLabels: ReadonlySet<string> = new Set([
  'io.kubernetes.pod.name',
  'io.kubernetes.pod.namespace',
  'io.kubernetes.pod.uid',
]);

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The last of each key. */
function pickLatest<T extends { readonly attempt: number; readonly createdAtMillis: number }>(
  items: readonly T[],
  key: (item: T) => string,
): T[] {
  const latest = new Map<string, T>();
  for (const item of items) {
    const other = latest.get(key(item));
    const isLater =
      other === undefined ||
      item.createdAtMillis > other.createdAtMillis ||
      (item.createdAtMillis === other.createdAtMillis && item.attempt > other.attempt);
    if (isLater) latest.set(key(item), item);
  }
  return [...latest.values()];
}

function describeState(container: RuntimeContainer, details: RuntimeContainerDetails | undefined, id: string): object {
  const started = details?.startedAtMillis;
  const startedAt = started === undefined ? {} : { startedAt: formatTime(started) };
  if (container.state === 'Running') return { running: startedAt };
  if (container.state !== 'Exited') return { waiting: { reason: 'ContainerCreating' } };
  const finished = details?.finishedAtMillis;
  return {
    terminated: {
      exitCode: details?.exitCode ?? 0,
      ...(details?.reason ? { reason: details.reason } : {}),
      ...(details?.message ? { message: details.message } : {}),
      ...startedAt,
      ...(finished === undefined ? {} : { finishedAt: formatTime(finished) }),
      containerID: id,
    },
  };
}

function decidePhase(
  sandbox: Sandbox,
  containers: readonly RuntimeContainer[],
  details: RuntimePods['details'],
): string {
  if (containers.some(({ state }) => state === 'Running')) return 'Running';
  if (containers.some(({ state }) => state !== 'Exited')) return 'Pending';
  if (containers.length === 0) return sandbox.state === 'Ready' ? 'Pending' : 'Unknown';
  return containers.every(({ id }) => details.get(id)?.exitCode === 0) ? 'Succeeded' : 'Failed';
}

function describePod(sandbox: Sandbox, containers: readonly RuntimeContainer[], pods: RuntimePods): object {
  const labels = Object.fromEntries(Object.entries(sandbox.labels).filter(([name]) => !ownLabels.has(name)));
  const addresses = pods.addresses.get(sandbox.id) ?? [];
  const [first] = addresses;
  return {
    metadata: {
      name: sandbox.name,
      namespace: sandbox.namespace,
      uid: sandbox.uid,
      creationTimestamp: formatTime(sandbox.createdAtMillis),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(sandbox.annotations).length === 0 ? {} : { annotations: sandbox.annotations }),
    },
    spec: {
      nodeName: pods.nodeName,
      ...(sandbox.runtimeHandler === '' ? {} : { runtimeClassName: sandbox.runtimeHandler }),
      containers: containers.map(({ name, image }) => ({ name, image, resources: {} })),
    },
    status: {
      phase: decidePhase(sandbox, containers, pods.details),
      ...(first === undefined ? {} : { podIP: first, podIPs: addresses.map((ip) => ({ ip })) }),
      startTime: formatTime(sandbox.createdAtMillis),
      containerStatuses: containers.map((container) => {
        const id = `${pods.runtimeName}://${container.id}`;
        return {
          name: container.name,
          state: describeState(container, pods.details.get(container.id), id),
          lastState: {},
          ready: container.state === 'Running',
          restartCount: container.attempt,
          image: container.image,
          imageID: container.imageRef,
          containerID: id,
        };
      }),
    },
  };
}

/** The pods of a runtime, sorted by namespace and name: of each its last sandbox, and of each container its last attempt. */
export function planPodList(pods: RuntimePods): RuntimePodList {
  const podOf = new Map(pods.sandboxes.map((sandbox) => [sandbox.id, sandbox.uid]));
  const byPod = new Map<string, RuntimeContainer[]>();
  const containers = pickLatest(pods.containers, ({ name, sandboxId }) => `${podOf.get(sandboxId) ?? ''}/${name}`);
  for (const container of containers) {
    const uid = podOf.get(container.sandboxId);
    if (uid !== undefined) byPod.set(uid, [...(byPod.get(uid) ?? []), container]);
  }
  const latest = pickLatest(pods.sandboxes, ({ uid }) => uid).toSorted(
    (a, b) => compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name) || compareTexts(a.uid, b.uid),
  );
  const items = latest.map((sandbox) => {
    const own = (byPod.get(sandbox.uid) ?? []).toSorted((a, b) => compareTexts(a.name, b.name));
    return describePod(sandbox, own, pods);
  });
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
}
