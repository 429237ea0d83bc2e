import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { HostFiles } from './host-files.ts';
import { parseDefaultRoutes4, parseDefaultRoutes6 } from './parse-proc.ts';
import type { AddressFacts } from './plan-addresses.ts';

/** A resolver that does not answer must not hold up what else is known. */
const resolveMillis = 2_000;

async function resolveName(name: string): Promise<readonly string[]> {
  const found = lookup(name, { all: true }).then((addresses) => addresses.map(({ address }) => address));
  const late = new AbortController();
  try {
    return await Promise.race([found, wait(resolveMillis, [], { signal: late.signal, ref: false })]);
  } catch {
    return [];
  } finally {
    late.abort();
  }
}

/** What the machine's network says of its addresses; a `name` that cannot be resolved, or is not given, resolves to nothing. */
export async function readNetwork(
  files: HostFiles,
  name: string | undefined,
): Promise<Pick<AddressFacts, 'interfaces' | 'resolved' | 'routes'>> {
  const [routes4, routes6, resolved] = await Promise.all([
    files.readText('/proc/net/route'),
    files.readText('/proc/net/ipv6_route'),
    name === undefined ? [] : resolveName(name),
  ]);
  return {
    interfaces: Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
      (addresses ?? []).map(({ address, internal }) => ({ name, address, isLoopback: internal })),
    ),
    resolved,
    routes:
      routes4 === undefined ? undefined : { 4: parseDefaultRoutes4(routes4), 6: parseDefaultRoutes6(routes6 ?? '') },
  };
}
