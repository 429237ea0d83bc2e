/** Values of `/proc/meminfo` and of files in its manner (`Name: 123 kB`), in bytes; what has no unit stays a number. */
export function parseMeminfo(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^([^:]+):\s+(\d+)( kB)?\s*$/.exec(line);
    if (match === null) continue;
    values.set(match[1] as string, Number(match[2]) * (match[3] === undefined ? 1 : 1024));
  }
  return values;
}

/** Values of a cgroup's `memory.stat` and of files in its manner (`name 123`). */
export function parseCounters(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^(\S+) (\d+)$/.exec(line);
    if (match !== null) values.set(match[1] as string, Number(match[2]));
  }
  return values;
}

/** How many numbers a list such as `0-3,8` names; `undefined` when it is not one. */
export function countListed(text: string): number | undefined {
  let count = 0;
  for (const part of text.trim().split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (match === null) return undefined;
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    if (last < first) return undefined;
    count += last - first + 1;
  }
  return count;
}

/** A whole number, white space around it aside; `undefined` for anything else, such as `max`. */
export function parseCount(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^\d+$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** Tasks on the node, by `/proc/loadavg`; `undefined` when it does not say. */
export function parseTaskCount(loadavg: string): number | undefined {
  const fields = loadavg.trim().split(/\s+/);
  return fields.length < 5 ? undefined : parseCount(fields[3]?.split('/')[1]);
}

/** The value of a key in a file such as `/etc/os-release`, without its quotes; `undefined` when it is not there. */
export function parseReleaseValue(text: string, key: string): string | undefined {
  for (const line of text.split('\n')) {
    if (line.startsWith(`${key}=`)) return line.slice(key.length + 1).replace(/^"+|"+$/g, '');
  }
  return undefined;
}

/** How long tasks have stalled for want of something, since the machine started, in seconds. */
export interface StallTimes {
  /** At least one task waited. */
  readonly someSeconds: number;
  /** All that were not idle waited; 0 where the kernel does not tell. */
  readonly fullSeconds: number;
}

/** A file of `/proc/pressure`; `undefined` when it is not one. */
export function parsePressure(text: string): StallTimes | undefined {
  const read = (kind: string): number | undefined => {
    const match = new RegExp(`^${kind} .*total=(\\d+)$`, 'm').exec(text);
    return match === null ? undefined : Number(match[1]) / 1_000_000;
  };
  const someSeconds = read('some');
  return someSeconds === undefined ? undefined : { someSeconds, fullSeconds: read('full') ?? 0 };
}

/** Names of the interfaces that default routes of IPv4 go through, by `/proc/net/route`. */
export function parseDefaultRoutes4(text: string): string[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [name, destination] = line.trim().split(/\s+/);
      return destination === '00000000' && name !== undefined ? [name] : [];
    });
}

/** The same for IPv6, by `/proc/net/ipv6_route`. */
export function parseDefaultRoutes6(text: string): string[] {
  const zero = '0'.repeat(32);
  return text.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    // Those without a gateway are the loopback's.
    return fields[0] === zero && fields[4] !== zero && fields[9] !== undefined ? [fields[9]] : [];
  });
}
