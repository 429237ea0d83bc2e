/** A kernel's release by its first two numbers. */
interface KernelRelease {
  readonly major: number;
  readonly minor: number;
}

/** What a node says of its kernel and of what belongs to it. */
export interface KernelFacts {
  /** Such as `6.1.0-18-amd64`. */
  readonly kernelVersion: string;
  /** Which hierarchy of cgroups the node uses; `undefined` when it shows none. */
  readonly cgroup: 'v1' | 'v2' | undefined;
  /** Version of the `nft` command, such as `1.0.6`; `undefined` when there is none. */
  readonly nftVersion: string | undefined;
  readonly pressure: {
    /** Whether `/proc/pressure` is there. */
    readonly isThere: boolean;
    /** `CONFIG_PSI` of the kernel: `y`, `n`; `undefined` when its configuration cannot be read. */
    readonly configured: 'y' | 'n' | undefined;
    /** Value of `psi=` on its command line; `undefined` when it is not there. */
    readonly argument: string | undefined;
  };
  /** The option `nftables.skipKernelVersionCheck`. */
  readonly skipNftablesVersionCheck: boolean;
}

/** One thing that a node's kernel must be able to do. */
export interface KernelFeature {
  readonly name: string;
  /** What it takes. */
  readonly requirement: string;
  readonly isMet: boolean;
  /** What the node has instead of, or beyond, what it takes. */
  readonly found: string;
  /** What is lost without it. */
  readonly cost: string;
}

interface KernelRow {
  readonly name: string;
  readonly least: string;
  readonly cost: string;
}

const unsafeSysctl = (what: string): string =>
  `pods cannot set ${what} as a safe sysctl: the kernel does not keep it per network namespace`;

const sysctlRows: readonly KernelRow[] = [
  {
    name: 'sysctl net.ipv4.ip_local_reserved_ports',
    least: '3.16',
    cost: unsafeSysctl('the ports that are never picked for outgoing connections'),
  },
  ...['tcp_keepalive_time', 'tcp_keepalive_intvl', 'tcp_keepalive_probes'].map((name) => ({
    name: `sysctl net.ipv4.${name}`,
    least: '4.5',
    cost: unsafeSysctl('how idle connections are probed'),
  })),
  { name: 'sysctl net.ipv4.tcp_fin_timeout', least: '4.6', cost: unsafeSysctl('how long closed connections linger') },
  { name: 'sysctl net.ipv4.tcp_syncookies', least: '4.6', cost: unsafeSysctl('SYN cookies') },
  { name: 'sysctl net.ipv4.tcp_rmem', least: '4.15', cost: unsafeSysctl('the memory for receiving') },
  { name: 'sysctl net.ipv4.tcp_wmem', least: '4.15', cost: unsafeSysctl('the memory for sending') },
  {
    name: 'sysctl net.ipv4.vs.conn_reuse_mode',
    least: '4.1',
    cost: 'the ipvs proxy mode cannot be used: connections to pods that are gone are reused',
  },
];

const laterRows: readonly KernelRow[] = [
  {
    name: 'recursive read-only mounts',
    least: '5.12',
    cost: 'mounts below a read-only volume stay writable: pods that ask for recursiveReadOnly are refused',
  },
  { name: 'pod user namespaces', least: '6.5', cost: 'pods with hostUsers: false cannot run' },
  {
    name: 'node swap with tmpfs noswap',
    least: '6.3',
    cost: 'Secrets and other volumes in memory may be written to the swap, unless that is encrypted',
  },
];

const nftToolLeast = '1.0.1';

/** The release that a version begins with; `undefined` when it begins with none. */
function parseKernelRelease(version: string): KernelRelease | undefined {
  const match = /^(\d+)\.(\d+)/.exec(version);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}

/** Whether a dotted version is not older than another. */
function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version.split('.').map(Number), least.split('.').map(Number)];
  for (let i = 0; i < want.length; i += 1) {
    const difference = (have[i] ?? 0) - (want[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function hasKernel({ kernelVersion }: KernelFacts, least: string): boolean {
  const release = parseKernelRelease(kernelVersion);
  return release !== undefined && isAtLeast(`${release.major}.${release.minor}`, least);
}

function describeKernel({ kernelVersion }: KernelFacts): string {
  return parseKernelRelease(kernelVersion) === undefined ? 'a kernel of unknown version' : `kernel ${kernelVersion}`;
}

function planRow(facts: KernelFacts, { name, least, cost }: KernelRow): KernelFeature {
  const requirement = `kernel ${least}+`;
  return { name, requirement, isMet: hasKernel(facts, least), found: describeKernel(facts), cost };
}

function planNftables(facts: KernelFacts): KernelFeature {
  const { nftVersion, skipNftablesVersionCheck } = facts;
  const least = skipNftablesVersionCheck ? '5.4' : '5.13';
  const hasTool = nftVersion !== undefined && isAtLeast(nftVersion, nftToolLeast);
  const note = skipNftablesVersionCheck ? ' (nftables.skipKernelVersionCheck: not recommended for production)' : '';
  return {
    name: 'nftables proxy mode',
    requirement: `nft ${nftToolLeast}+ and kernel ${least}+${note}`,
    isMet: hasTool && hasKernel(facts, least),
    found: `${nftVersion === undefined ? 'no nft command' : `nft ${nftVersion}`} and ${describeKernel(facts)}`,
    cost: 'rules for network policies and services cannot be programmed by nftables',
  };
}

function planCgroups(facts: KernelFacts): KernelFeature[] {
  const found = facts.cgroup === undefined ? 'no cgroups' : `cgroup ${facts.cgroup}`;
  const isV2 = facts.cgroup === 'v2';
  const both = `${found} and ${describeKernel(facts)}`;
  return [
    {
      name: 'cgroup v2',
      requirement: 'cgroup v2',
      isMet: isV2,
      found,
      cost: 'cgroup v1 is in maintenance mode: no memory QoS, no swap for pods, no pressure by container',
    },
    {
      name: 'cgroup v2: freezing',
      requirement: 'cgroup v2 and kernel 5.2+',
      isMet: isV2 && hasKernel(facts, '5.2'),
      found: both,
      cost: 'containers are not frozen by cgroup v2 while they are stopped or dumped',
    },
    {
      name: 'cgroup v2: cpu.stat of the root',
      requirement: 'cgroup v2 and kernel 5.8+',
      isMet: isV2 && hasKernel(facts, '5.8'),
      found: both,
      cost: 'the CPU time of the whole node cannot be read from the cgroups',
    },
  ];
}

function describePressure({ pressure }: KernelFacts): string {
  if (pressure.isThere) return '/proc/pressure';
  if (pressure.configured === 'n') return 'a kernel that was built without CONFIG_PSI=y';
  if (pressure.argument !== undefined && pressure.argument !== '1')
    return `psi=${pressure.argument} on its command line`;
  const hint = 'no /proc/pressure: it may need psi=1 on the command line of the kernel';
  return pressure.configured === 'y' ? hint : `${hint}, or CONFIG_PSI=y`;
}

function planPressure(facts: KernelFacts): KernelFeature {
  const { pressure } = facts;
  return {
    name: 'pressure stall information',
    requirement: 'kernel 4.20+ with CONFIG_PSI=y, and psi=1 where that is off by default',
    // The files say more than any version does: distributions bring features back to older kernels.
    isMet: pressure.isThere,
    found: `${describeKernel(facts)}, ${describePressure(facts)}`,
    cost: 'there are no metrics of how long the node stalls for CPU, memory and disks',
  };
}

/** What the features of the specification's table take of the kernel, and whether the node has it; none of them is needed for checkpoints. */
export function planKernelFeatures(facts: KernelFacts): KernelFeature[] {
  return [
    ...sysctlRows.map((row) => planRow(facts, row)),
    planNftables(facts),
    ...planCgroups(facts),
    planPressure(facts),
    ...laterRows.map((row) => planRow(facts, row)),
  ];
}
