import { describe, expect, it } from 'vitest';
import { planAddresses, type AddressFacts } from './plan-addresses.ts';

const facts: AddressFacts = {
  hostname: 'node-1',
  nodeIps: [],
  mustBeOwn: true,
  resolved: [],
  interfaces: [
    { name: 'lo', address: '127.0.0.1', isLoopback: true },
    { name: 'eth0', address: '169.254.7.7', isLoopback: false },
    { name: 'eth0', address: '10.0.0.7', isLoopback: false },
    { name: 'eth0', address: 'fe80::1', isLoopback: false },
    { name: 'eth0', address: '2001:db8::7', isLoopback: false },
    { name: 'eth1', address: '192.168.1.7', isLoopback: false },
  ],
  routes: { 4: ['eth0'], 6: ['eth0'] },
  previous: [],
};

function listIps(given: Partial<AddressFacts>): string[] | string {
  const planned = planAddresses({ ...facts, ...given });
  if ('error' in planned) return planned.error;
  return planned.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
}

describe('addresses of a node', () => {
  it('are those of its network, of others, and its name [Resources and their fields/Node status reported by the node agent#2]', () => {
    const previous = [
      { type: 'InternalIP', address: '10.9.9.9' },
      { type: 'ExternalIP', address: '203.0.113.7' },
      { type: 'Hostname', address: 'old' },
    ];
    expect(planAddresses({ ...facts, previous })).toEqual([
      { type: 'InternalIP', address: '10.0.0.7' },
      { type: 'ExternalIP', address: '203.0.113.7' },
      { type: 'Hostname', address: 'node-1' },
    ]);
  });

  it.for<readonly [string, Partial<AddressFacts>, string[] | string]>([
    ['the interface of the default route', {}, ['10.0.0.7']],
    ['another one', { routes: { 4: ['eth1'], 6: [] } }, ['192.168.1.7']],
    ['the first fitting one where the kernel tells of no routes', { routes: undefined }, ['10.0.0.7']],
    ['IPv6 where there is no other', { routes: { 4: [], 6: ['eth0'] } }, ['2001:db8::7']],
    ['IPv6 where it is preferred', { nodeIps: ['::'] }, ['2001:db8::7']],
    ['what is configured', { nodeIps: ['192.168.1.7'] }, ['192.168.1.7']],
    ['one of each family', { nodeIps: ['192.168.1.7', '2001:db8::7'] }, ['192.168.1.7', '2001:db8::7']],
    ['a name that is an address', { hostname: '10.1.2.3' }, ['10.1.2.3']],
    ['what the name resolves to', { resolved: ['192.168.1.7'] }, ['192.168.1.7']],
    ['not what it resolves to elsewhere', { resolved: ['203.0.113.1', '127.0.1.1'] }, ['10.0.0.7']],
    ['IPv4 before IPv6', { resolved: ['2001:db8::7', '192.168.1.7'] }, ['192.168.1.7']],
    [
      'none without a route',
      { routes: { 4: [], 6: [] } },
      "can't get ip address of node node-1. error: no default routes found",
    ],
    ['not the loopback', { nodeIps: ['127.0.0.1'] }, "failed to validate nodeIP: nodeIP can't be loopback address"],
    ['no group', { nodeIps: ['224.0.0.1'] }, "failed to validate nodeIP: nodeIP can't be a multicast address"],
    ['no link', { nodeIps: ['fe80::1'] }, "failed to validate nodeIP: nodeIP can't be a link-local unicast address"],
    [
      'none of another machine',
      { nodeIps: ['10.9.9.9'] },
      'failed to validate nodeIP: node IP: "10.9.9.9" not found in the host\'s network interfaces',
    ],
    [
      'none of another machine, the second neither',
      { nodeIps: ['10.0.0.7', '2001:db8::9'] },
      'failed to validate secondaryNodeIP: node IP: "2001:db8::9" not found in the host\'s network interfaces',
    ],
    ['one of another network where the agent is in a pod', { nodeIps: ['10.9.9.9'], mustBeOwn: false }, ['10.9.9.9']],
  ])('are of %s', ([, given, addresses]) => {
    expect(listIps(given)).toEqual(addresses);
  });
});
