import { BlockList, isIP } from 'node:net';
import { parseTime } from '../../core/time/time.ts';
import { checkDns1123Subdomain } from '../../core/validation/names.ts';
import type { Lease } from '../../platform/kube/lease.ts';

/** Where the agent of a node listens. */
export interface AgentEndpoint {
  readonly nodeName: string;
  /** An IP address. */
  readonly address: string;
  readonly port: number;
}

/** An agent that a Lease tells of: where it is, or why it is not asked. */
export type AgentPresence = AgentEndpoint | { readonly nodeName: string; readonly obstacle: string };

/** What decides about a Lease besides itself. */
export interface EndpointRules {
  readonly domain: string;
  readonly nowMillis: number;
  /** Whether an agent may be on the machine of the operator, as it is where both run without a cluster. */
  readonly allowsLoopback: boolean;
}

/** Namespace of the Leases of nodes that have no kubelet. */
export const nodeLeaseNamespace = 'kube-node-lease';

/** Names of agents' Leases begin with it where a kubelet owns the node. */
export const agentLeasePrefix = 'bailiwick-agent-';

const defaultLeaseSeconds = 40;
/** No Lease makes an agent live longer than that after its renewal, which is not believed to be yet to come. */
const maxLeaseSeconds = 3600;
/** Clocks of machines differ. */
const clockSkewMillis = 10_000;

function makeBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits = '0'] = range.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** No agent listens there, and what does is not for others: metadata services of clouds are link-local. */
const neverAsked = makeBlockList([
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', 'fe80::/10', 'ff00::/8'],
  // Forms of IPv6 that stand for an IPv4 address: compatible, translated, 6to4 and Teredo.
  ...['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32'],
]);
const loopback = makeBlockList(['127.0.0.0/8', '::1/128']);

/** The node that a Lease is of; `undefined` when it is no agent's. */
function readNodeName({ metadata }: Lease, domain: string): string | undefined {
  const { name = '', namespace = '' } = metadata;
  if (metadata.annotations?.[`node.${domain}/agent-endpoint`] === undefined) return undefined;
  if (namespace === nodeLeaseNamespace) return name;
  return name.startsWith(agentLeasePrefix) ? name.slice(agentLeasePrefix.length) : undefined;
}

function readAddress(endpoint: string, { allowsLoopback }: EndpointRules): { address: string; port: number } | string {
  const [, v6, v4, digits = ''] =
    /^https:\/\/(?:\[([\da-fA-F:.]{2,45})\]|([\d.]{7,15})):(\d{1,5})\/?$/.exec(endpoint) ?? [];
  const address = v6 ?? v4 ?? '';
  const family = isIP(address);
  const port = Number(digits);
  if (family === 0 || port === 0 || port > 65_535) return 'its Lease names no IP address and port';
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const isLoopback = loopback.check(address, type);
  if (isLoopback ? !allowsLoopback : neverAsked.check(address, type)) {
    return `its Lease names the address ${address}, where no agent can be`;
  }
  return { address, port };
}

/** Reads an agent's Lease; `undefined` when it is none of an agent. Whether the agent is who it says is for TLS to tell. */
export function planAgentEndpoint(lease: Lease, rules: EndpointRules): AgentPresence | undefined {
  const nodeName = readNodeName(lease, rules.domain);
  if (nodeName === undefined || checkDns1123Subdomain(nodeName).length > 0) return undefined;
  const { renewTime, leaseDurationSeconds = defaultLeaseSeconds } = lease.spec;
  const renewedMillis = renewTime === undefined ? undefined : parseTime(renewTime);
  if (renewedMillis === undefined) return { nodeName, obstacle: 'its Lease was never renewed' };
  if (renewedMillis > rules.nowMillis + clockSkewMillis) {
    return { nodeName, obstacle: 'its Lease says that it was renewed at a time that is yet to come' };
  }
  const lifeMillis = Math.min(leaseDurationSeconds, maxLeaseSeconds) * 1000;
  if (renewedMillis + lifeMillis + clockSkewMillis < rules.nowMillis) {
    return { nodeName, obstacle: `its agent has not renewed its Lease since ${renewTime ?? ''}` };
  }
  const endpoint = lease.metadata.annotations?.[`node.${rules.domain}/agent-endpoint`] ?? '';
  const read = readAddress(endpoint, rules);
  return typeof read === 'string' ? { nodeName, obstacle: read } : { nodeName, ...read };
}
