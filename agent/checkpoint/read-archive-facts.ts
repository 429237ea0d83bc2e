import type { FileHandle } from 'node:fs/promises';

/** What an archive says of where it comes from. */
export interface ArchiveFacts {
  readonly namespace: string;
  readonly podName: string;
  readonly podUid: string;
  readonly containerName: string;
}

const blockBytes = 512;
const maxEntries = 100_000;
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

/** Size in a header: octal digits, or a number in base 256 where the first bit is set. */
function readSize(header: Buffer): number {
  const field = header.subarray(124, 136);
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(4));
  return Number.parseInt(field.toString('latin1').replaceAll(/[\0 ]/g, '') || '0', 8);
}

function readText(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

/** The content of one file of a tar archive; `undefined` when it has none of the name, or is no tar archive. */
async function readEntry(handle: FileHandle, name: string): Promise<Buffer | undefined> {
  const header = Buffer.alloc(blockBytes);
  let position = 0;
  for (let i = 0; i < maxEntries; i += 1) {
    const { bytesRead } = await handle.read(header, 0, blockBytes, position);
    if (bytesRead < blockBytes || readText(header.subarray(257, 262)) !== 'ustar') return undefined;
    const sizeBytes = readSize(header);
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) return undefined;
    if (readText(header.subarray(0, 100)) === name && sizeBytes <= maxDescriptionBytes) {
      const content = Buffer.alloc(sizeBytes);
      const { bytesRead: contentBytes } = await handle.read(content, 0, sizeBytes, position + blockBytes);
      return contentBytes === sizeBytes ? content : undefined;
    }
    position += blockBytes + Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
  return undefined;
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
