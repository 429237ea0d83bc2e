/** A file system. */
export interface Disk {
  /** Free for everybody. */
  readonly freeBytes: number;
  /** The same for the same file system. */
  readonly device: number;
}

/** What containerd 2 writes while it dumps, below its own folder for the most part, for each byte that the container has in memory. */
const writtenPerByte = 4;

/** Says what is wrong with so little free space, of which about `neededBytes` will be taken; `undefined` when it is enough. */
export function findSpaceFault(freeBytes: number, minimumFreeBytes: number, neededBytes = 0): string | undefined {
  if (freeBytes - neededBytes >= minimumFreeBytes) return undefined;
  const needed = neededBytes === 0 ? '' : ` and the dump takes about ${neededBytes}`;
  return `not enough disk space for checkpoints: ${freeBytes} bytes are free, ${minimumFreeBytes} must stay free${needed}`;
}

/**
 * Why a dump is not begun; `undefined` when it may be. `memoryBytes` is what the container has in memory. Of the disk of archives all is
 * taken when the runtime's cannot be seen; when it is another, archives are watched as they grow and only the runtime's is judged.
 */
export function planDumpSpace(options: {
  readonly memoryBytes: number;
  readonly archives: Disk;
  readonly runtime: Disk | undefined;
  readonly minimumFreeBytes: number;
}): string | undefined {
  const { memoryBytes, archives, runtime = archives, minimumFreeBytes } = options;
  return (
    findSpaceFault(archives.freeBytes, minimumFreeBytes) ??
    findSpaceFault(runtime.freeBytes, minimumFreeBytes, memoryBytes * writtenPerByte)
  );
}
