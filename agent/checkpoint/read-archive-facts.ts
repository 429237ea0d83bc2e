import type { FileHandle } from 'node:fs/promises';

import { readTar } from './read-tar.ts';

/** What an archive says of where it comes from. */
export interface ArchiveFacts {
  readonly namespace: string;
  readonly podName: string;
  readonly podUid: string;
  readonly containerName: string;
}

/** Larger than any container's description. */
const maxDescriptionBytes = 4 << 20;

/** What containerd and CRI-O write into the description of a container. */
const annotationNames: readonly Readonly<Record<keyof ArchiveFacts, string>>[] = [
  {
    namespace: 'io.kubernetes.cri.sandbox-namespace',
    podName: 'io.kubernetes.cri.sandbox-name',
    podUid: 'io.kubernetes.cri.sandbox-uid',
    containerName: 'io.kubernetes.cri.container-name',
  },
  {
    namespace: 'io.kubernetes.pod.namespace',
    podName: 'io.kubernetes.pod.name',
    podUid: 'io.kubernetes.pod.uid',
    containerName: 'io.kubernetes.container.name',
  },
];

/** The content of one file of a tar archive; `undefined` when it has none of the name, or is no tar archive. */
async function readEntry(handle: FileHandle, name: string): Promise<Buffer | undefined> {
  const { entries } = await readTar(handle);
  const entry = entries.find((one) => one.name === name && one.sizeBytes <= maxDescriptionBytes);
  if (entry === undefined) return undefined;
  const content = Buffer.alloc(entry.sizeBytes);
  const { bytesRead } = await handle.read(content, 0, entry.sizeBytes, entry.position);
  return bytesRead === entry.sizeBytes ? content : undefined;
}

/** What a checkpoint's archive says of its container; `undefined` when it does not say all of it. */
export async function readArchiveFacts(handle: FileHandle): Promise<ArchiveFacts | undefined> {
  const content = await readEntry(handle, 'spec.dump');
  if (content === undefined) return undefined;
  let spec: { readonly annotations?: Readonly<Record<string, unknown>> } | null;
  try {
    spec = JSON.parse(content.toString('utf8')) as typeof spec;
  } catch {
    return undefined;
  }
  const annotations = spec?.annotations ?? {};
  for (const names of annotationNames) {
    const { namespace, podName, podUid, containerName } = names;
    const [space, pod, uid, container] = [namespace, podName, podUid, containerName].map((name) => annotations[name]);
    if (typeof space === 'string' && typeof pod === 'string' && typeof container === 'string') {
      return { namespace: space, podName: pod, podUid: typeof uid === 'string' ? uid : '', containerName: container };
    }
  }
  return undefined;
}
