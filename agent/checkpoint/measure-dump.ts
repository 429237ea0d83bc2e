import { stat, statfs } from 'node:fs/promises';

import type { ContainerRuntime } from '../cri/container-runtime.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import type { ArchiveFolder } from './archive-folder.ts';
import type { Disk } from './plan-dump-space.ts';

/** What is asked. */
export interface DumpMeasurement {
  readonly runtime: Pick<ContainerRuntime, 'readMemoryBytes' | 'readImageFilesystems'>;
  readonly folder: Pick<ArchiveFolder, 'readDisk'>;
  readonly containerId: string;
  readonly signal: AbortSignal;
}

/** What a runtime does not say in good time is not waited for. */
const timeoutMillis = 10_000;

async function readDisk(path: string): Promise<Disk | undefined> {
  try {
    const [{ bavail, bsize }, { dev: device }] = await Promise.all([statfs(path), stat(path)]);
    return { freeBytes: bavail * bsize, device };
  } catch {
    return undefined;
  }
}

/** What the runtime answers; `undefined` when it does not. */
async function ask<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RuntimeFailure) return undefined;
    throw error;
  }
}

/** Memory of a container, 0 when the runtime does not say, and the disks that its dump goes to; the runtime's may not be seen from here. */
export async function measureDump({ runtime, folder, containerId, signal }: DumpMeasurement) {
  const options = { signal, timeoutMillis };
  const [memoryBytes = 0, filesystems, archives] = await Promise.all([
    ask(runtime.readMemoryBytes(containerId, options)),
    ask(runtime.readImageFilesystems(options)),
    folder.readDisk(),
  ]);
  const mountpoint = filesystems?.images[0]?.mountpoint ?? '';
  return { memoryBytes, archives, runtime: mountpoint === '' ? undefined : await readDisk(mountpoint) };
}
