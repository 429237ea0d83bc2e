import type { FilesystemSpace, HostFiles } from './host-files.ts';
import { parseCount, parseCounters, parseMeminfo, parseTaskCount } from './parse-proc.ts';

/** How much of something a node has, and how much of that is left; bytes, inodes or tasks. */
export interface Supply {
  readonly capacity: number;
  readonly available: number;
}

/** What is left of a node's resources; what could not be measured is `undefined`. */
export interface NodeUsage {
  readonly memory: Supply | undefined;
  /** Where the agent keeps its files. */
  readonly nodeFs: FilesystemSpace | undefined;
  /** Where the runtime keeps images. */
  readonly imageFs: FilesystemSpace | undefined;
  /** Where the runtime keeps what containers write. */
  readonly containerFs: FilesystemSpace | undefined;
  readonly pids: Supply | undefined;
}

/** Folders whose file systems count; `undefined` where the runtime does not tell. */
export interface UsagePaths {
  readonly rootDir: string;
  readonly imageFs: string | undefined;
  readonly containerFs: string | undefined;
}

/** Bytes in use, and how many of those are cached files that nobody has asked for lately. */
interface MemoryUse {
  readonly usedBytes: number;
  readonly inactiveFileBytes: number;
}

const v1Folder = '/sys/fs/cgroup/memory';

/** By the memory cgroup of everything, version 1; `undefined` where it is not there, or is only that of a container. */
async function readFromCgroup1(files: HostFiles): Promise<MemoryUse | undefined> {
  // Only the cgroup of everything has this file.
  if (!(await files.isThere(`${v1Folder}/release_agent`))) return undefined;
  const usedBytes = parseCount(await files.readText(`${v1Folder}/memory.usage_in_bytes`));
  if (usedBytes === undefined) return undefined;
  const counters = parseCounters((await files.readText(`${v1Folder}/memory.stat`)) ?? '');
  return { usedBytes, inactiveFileBytes: counters.get('total_inactive_file') ?? 0 };
}

/** As above, version 2. */
async function readFromCgroup2(files: HostFiles): Promise<MemoryUse | undefined> {
  // Every cgroup but that of everything has a type.
  if (await files.isThere('/sys/fs/cgroup/cgroup.type')) return undefined;
  const counters = parseCounters((await files.readText('/sys/fs/cgroup/memory.stat')) ?? '');
  const [anonymous, file] = [counters.get('anon'), counters.get('file')];
  if (anonymous === undefined || file === undefined) return undefined;
  return { usedBytes: anonymous + file, inactiveFileBytes: counters.get('inactive_file') ?? 0 };
}

/** What the cgroups would say, by the kernel's own count: from inside a container only that tells of the whole node. */
function readFromMeminfo(memory: ReadonlyMap<string, number>): MemoryUse | undefined {
  const anonymous = memory.get('AnonPages');
  const cached = memory.get('Cached');
  if (anonymous === undefined || cached === undefined) return undefined;
  const fileBytes = cached + (memory.get('Buffers') ?? 0) + (memory.get('SwapCached') ?? 0);
  return { usedBytes: anonymous + fileBytes, inactiveFileBytes: memory.get('Inactive(file)') ?? 0 };
}

async function readMemory(files: HostFiles): Promise<Supply | undefined> {
  const memory = parseMeminfo((await files.readText('/proc/meminfo')) ?? '');
  const capacity = memory.get('MemTotal');
  const use = (await readFromCgroup1(files)) ?? (await readFromCgroup2(files)) ?? readFromMeminfo(memory);
  if (capacity === undefined || use === undefined) return undefined;
  const workingSet = Math.max(use.usedBytes - use.inactiveFileBytes, 0);
  return { capacity, available: Math.max(capacity - workingSet, 0) };
}

async function readPids(files: HostFiles): Promise<Supply | undefined> {
  const limits = await Promise.all(
    ['pid_max', 'threads-max'].map(async (name) => parseCount(await files.readText(`/proc/sys/kernel/${name}`))),
  );
  const known = limits.filter((limit) => limit !== undefined);
  const running = parseTaskCount((await files.readText('/proc/loadavg')) ?? '');
  if (known.length === 0 || running === undefined) return undefined;
  const capacity = Math.min(...known);
  return { capacity, available: capacity - running };
}

/** Measures what is left on a node. */
export async function readUsage(files: HostFiles, paths: UsagePaths): Promise<NodeUsage> {
  const readSpace = async (path: string | undefined): Promise<FilesystemSpace | undefined> =>
    path === undefined ? undefined : files.readSpace(path);
  return {
    memory: await readMemory(files),
    nodeFs: await readSpace(paths.rootDir),
    imageFs: await readSpace(paths.imageFs),
    containerFs: await readSpace(paths.containerFs),
    pids: await readPids(files),
  };
}
