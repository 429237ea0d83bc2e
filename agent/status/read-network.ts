import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import type { HostFiles } from './host-files.ts';
import { parseDefaultRoutes4, parseDefaultRoutes6 } from './parse-proc.ts';
import type { AddressFacts } from './plan-addresses.ts';

/** What the machine's network says of its addresses; a name that cannot be resolved resolves to nothing. */
export async function readNetwork(
  files: HostFiles,
  hostname: string,
): Promise<Pick<AddressFacts, 'interfaces' | 'resolved' | 'routes'>> {
  const [routes4, routes6, resolved] = await Promise.all([
    files.readText('/proc/net/route'),
    files.readText('/proc/net/ipv6_route'),
    lookup(hostname, { all: true }).catch(() => []),
  ]);
  return {
    interfaces: Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
      (addresses ?? []).map(({ address, internal }) => ({ name, address, isLoopback: internal })),
    ),
    resolved: resolved.map(({ address }) => address),
    routes:
      routes4 === undefined ? undefined : { 4: parseDefaultRoutes4(routes4), 6: parseDefaultRoutes6(routes6 ?? '') },
  };
}
