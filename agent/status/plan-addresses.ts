import { quoteGo } from '../../core/errors/quote-go.ts';
import { formatIp, parseIp, type IpAddress } from '../../core/validation/ip.ts';
import type { NodeAddress } from './agent-node.ts';

/** An address of one of the node's interfaces that are up. */
export interface InterfaceAddress {
  readonly name: string;
  readonly address: string;
  readonly isLoopback: boolean;
}

/** What a node's addresses are chosen from. */
export interface AddressFacts {
  readonly hostname: string;
  /** As configured, at most one of each family; unspecified ones (`::`) choose a family only. */
  readonly nodeIps: readonly string[];
  /** Whether configured addresses must be those of an interface, as they are where the agent has the node's network. */
  readonly mustBeOwn: boolean;
  /** What the hostname resolves to. */
  readonly resolved: readonly string[];
  readonly interfaces: readonly InterfaceAddress[];
  /** Interfaces of default routes, by family; `undefined` where the kernel does not tell of routes. */
  readonly routes: { readonly 4: readonly string[]; readonly 6: readonly string[] } | undefined;
  /** As they are written now. */
  readonly previous: readonly NodeAddress[];
}

type Family = 4 | 6;

function isUnspecified(ip: IpAddress): boolean {
  return ip.bytes.every((byte) => byte === 0);
}

function isLoopback({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 127;
  return bytes.every((byte, i) => byte === (i === 15 ? 1 : 0));
}

function isMulticast({ family, bytes }: IpAddress): boolean {
  return family === 4 ? ((bytes[0] as number) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isLinkLocal({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 169 && bytes[1] === 254;
  return bytes[0] === 0xfe && ((bytes[1] as number) & 0xc0) === 0x80;
}

function isGlobalUnicast(ip: IpAddress): boolean {
  const isBroadcast = ip.family === 4 && ip.bytes.every((byte) => byte === 255);
  return !isBroadcast && !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocal(ip);
}

/** What keeps an address from being the node's, worded as the kubelet words it; `undefined` when nothing does. */
function findFault(ip: IpAddress, { interfaces, mustBeOwn }: AddressFacts): string | undefined {
  if (isLoopback(ip)) return "nodeIP can't be loopback address";
  if (isMulticast(ip)) return "nodeIP can't be a multicast address";
  if (isLinkLocal(ip)) return "nodeIP can't be a link-local unicast address";
  if (isUnspecified(ip)) return "nodeIP can't be an all zeros address";
  const text = formatIp(ip);
  if (!mustBeOwn || interfaces.some(({ address }) => address === text)) return undefined;
  return `node IP: ${quoteGo(text)} not found in the host's network interfaces`;
}

function findResolved(facts: AddressFacts, preferred: Family): string | undefined {
  const fitting = facts.resolved.flatMap((text) => {
    const ip = parseIp(text);
    return ip === undefined || findFault(ip, { ...facts, mustBeOwn: true }) !== undefined ? [] : [ip];
  });
  const chosen = fitting.find(({ family }) => family === preferred) ?? fitting[0];
  return chosen === undefined ? undefined : formatIp(chosen);
}

function findRouted({ interfaces, routes }: AddressFacts, preferred: Family): string | undefined {
  for (const family of preferred === 4 ? ([4, 6] as const) : ([6, 4] as const)) {
    const names = routes?.[family] ?? interfaces.filter((one) => !one.isLoopback).map(({ name }) => name);
    for (const name of names) {
      for (const one of interfaces.filter((candidate) => candidate.name === name)) {
        const ip = parseIp(one.address);
        if (ip !== undefined && ip.family === family && isGlobalUnicast(ip)) return formatIp(ip);
      }
    }
  }
  return undefined;
}

/** Types that the agent finds out itself. */
const ownTypes = ['InternalIP', 'Hostname'];

/**
 * The addresses of a node, or why there are none. Chosen as the kubelet chooses: what is configured, a hostname that is an address, what
 * it resolves to, the interface of the default route. Types that others write (`ExternalIP`) stay as they are.
 */
export function planAddresses(facts: AddressFacts): NodeAddress[] | { readonly error: string } {
  const { hostname, previous } = facts;
  const configured = facts.nodeIps.flatMap((text) => parseIp(text) ?? []);
  const specified = configured.filter((ip) => !isUnspecified(ip));
  for (const ip of specified) {
    const fault = findFault(ip, facts);
    if (fault === undefined) continue;
    return { error: `failed to validate ${ip === configured[0] ? 'nodeIP' : 'secondaryNodeIP'}: ${fault}` };
  }
  const preferred: Family = configured[0]?.family ?? 4;
  const named = parseIp(hostname);
  const chosen =
    specified.length > 0
      ? specified.map(formatIp)
      : [named === undefined ? (findResolved(facts, preferred) ?? findRouted(facts, preferred)) : formatIp(named)];
  if (chosen[0] === undefined)
    return { error: `can't get ip address of node ${hostname}. error: no default routes found` };
  return [
    ...chosen.map((address) => ({ type: 'InternalIP', address: address as string })),
    ...previous.filter(({ type }) => !ownTypes.includes(type)),
    { type: 'Hostname', address: hostname },
  ];
}
