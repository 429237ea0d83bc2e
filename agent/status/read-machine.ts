import type { HostFiles } from './host-files.ts';
import { countListed, parseCount, parseMeminfo, parseReleaseValue } from './parse-proc.ts';

/** Huge pages of one size. */
export interface HugePages {
  readonly pageBytes: number;
  readonly totalBytes: number;
}

/** What a machine has and is; texts are empty where it does not say. */
export interface Machine {
  /** CPUs that are online; `undefined` when that cannot be told. */
  readonly cpuCount: number | undefined;
  /** All its memory, in bytes; `undefined` when that cannot be told. */
  readonly memoryBytes: number | undefined;
  readonly swapBytes: number;
  readonly hugePages: readonly HugePages[];
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
}

const hugePagesFolder = '/sys/kernel/mm/hugepages';
const systemUuidFiles = [
  '/sys/class/dmi/id/product_uuid',
  '/proc/device-tree/system-id',
  '/proc/device-tree/vm,uuid',
  '/etc/machine-id',
];

async function readFirst(files: HostFiles, paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const text = await files.readText(path);
    if (text !== undefined) return text.replaceAll('\0', '').trim();
  }
  return '';
}

async function countCpus(files: HostFiles): Promise<number | undefined> {
  const online = await files.readText('/sys/devices/system/cpu/online');
  const listed = online === undefined ? undefined : countListed(online);
  if (listed !== undefined) return listed;
  const found = (await files.readText('/proc/cpuinfo'))?.match(/^processor\s*:/gm);
  return found?.length;
}

async function readHugePages(files: HostFiles): Promise<HugePages[]> {
  const pages: HugePages[] = [];
  for (const name of await files.listNames(hugePagesFolder)) {
    const kibibytes = parseCount(/^hugepages-(\d+)kB$/.exec(name)?.[1]);
    const count = parseCount(await files.readText(`${hugePagesFolder}/${name}/nr_hugepages`));
    if (kibibytes === undefined || count === undefined) continue;
    pages.push({ pageBytes: kibibytes * 1024, totalBytes: kibibytes * 1024 * count });
  }
  return pages;
}

async function readOsImage(files: HostFiles): Promise<string> {
  const text = (await files.readText('/etc/os-release')) ?? (await files.readText('/usr/lib/os-release'));
  return text === undefined ? 'Unknown' : (parseReleaseValue(text, 'PRETTY_NAME') ?? 'Linux');
}

/** Measures what a machine has and is. */
export async function readMachine(files: HostFiles): Promise<Machine> {
  const memory = parseMeminfo((await files.readText('/proc/meminfo')) ?? '');
  return {
    cpuCount: await countCpus(files),
    memoryBytes: memory.get('MemTotal'),
    swapBytes: memory.get('SwapTotal') ?? 0,
    hugePages: await readHugePages(files),
    machineId: await readFirst(files, ['/etc/machine-id', '/var/lib/dbus/machine-id']),
    systemUuid: await readFirst(files, systemUuidFiles),
    bootId: await readFirst(files, ['/proc/sys/kernel/random/boot_id']),
    kernelVersion: (await readFirst(files, ['/proc/sys/kernel/osrelease'])) || 'Unknown',
    osImage: await readOsImage(files),
  };
}
