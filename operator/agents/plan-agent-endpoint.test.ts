import { expect, it } from 'vitest';
import type { Lease } from '../../platform/kube/lease.ts';
import { planAgentEndpoint } from './plan-agent-endpoint.ts';

const nowMillis = Date.parse('2026-01-01T00:01:00Z');
const rules = { domain: 'example.org', nowMillis, allowsLoopback: false };
const renewed = '2026-01-01T00:00:50.000000Z';

function makeLease(
  endpoint: string | undefined,
  own: { name?: string; namespace?: string; renewTime?: string; leaseDurationSeconds?: number } = {},
): Lease {
  const { name = 'bailiwick-agent-a', namespace = 'system', renewTime = renewed, leaseDurationSeconds = 40 } = own;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace,
      ...(endpoint === undefined ? {} : { annotations: { 'node.example.org/agent-endpoint': endpoint } }),
    },
    spec: { holderIdentity: 'a', leaseDurationSeconds, ...(renewTime === '' ? {} : { renewTime }) },
  };
}

it.for<[name: string, lease: Lease, presence: object | undefined]>([
  ['an address', makeLease('https://10.0.0.7:10350'), { nodeName: 'a', address: '10.0.0.7', port: 10_350 }],
  ['an address of IPv6', makeLease('https://[fd00::7]:10350'), { nodeName: 'a', address: 'fd00::7', port: 10_350 }],
  [
    'a node without a kubelet',
    makeLease('https://10.0.0.7:1', { name: 'b.example', namespace: 'kube-node-lease' }),
    { nodeName: 'b.example', address: '10.0.0.7', port: 1 },
  ],
  ['a Lease of something else', makeLease(undefined), undefined],
  ['a Lease that is called otherwise', makeLease('https://10.0.0.7:1', { name: 'leader' }), undefined],
  ['a name that no node has', makeLease('https://10.0.0.7:1', { name: 'bailiwick-agent-' }), undefined],
  [
    'a Lease never renewed',
    makeLease('https://10.0.0.7:1', { renewTime: '' }),
    { obstacle: 'its Lease was never renewed' },
  ],
  [
    'a Lease that ended',
    makeLease('https://10.0.0.7:1', { renewTime: '2026-01-01T00:00:09.000000Z' }),
    { obstacle: 'its agent has not renewed its Lease since 2026-01-01T00:00:09.000000Z' },
  ],
  [
    'a Lease that ended by less than clocks differ',
    makeLease('https://10.0.0.7:1', { renewTime: '2026-01-01T00:00:11.000000Z' }),
    { address: '10.0.0.7' },
  ],
  [
    'a Lease that lasts for years',
    makeLease('https://10.0.0.7:1', { renewTime: '2025-12-31T00:00:00.000000Z', leaseDurationSeconds: 2_147_483_647 }),
    { obstacle: 'its agent has not renewed its Lease since 2025-12-31T00:00:00.000000Z' },
  ],
  [
    'a Lease of the future',
    makeLease('https://10.0.0.7:1', { renewTime: '2099-01-01T00:00:00.000000Z' }),
    { obstacle: 'its Lease says that it was renewed at a time that is yet to come' },
  ],
  ...[
    'http://10.0.0.7:1',
    'https://10.0.0.7',
    'https://10.0.0.7:0',
    'https://10.0.0.7:65536',
    'https://10.0.0.7:1/path',
    'https://user@10.0.0.7:1',
    'https://10.0.0:1',
    'https://0x7f000001:1',
    'https://metadata.internal:80',
    'https://10.0.0.7:1@evil:1',
  ].map((endpoint): [string, Lease, object] => [
    endpoint,
    makeLease(endpoint),
    { obstacle: 'its Lease names no IP address and port' },
  ]),
  ...[
    '169.254.169.254',
    '127.0.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[ff02::1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[::169.254.169.254]',
    '[::ffff:0:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::1]',
  ].map((host): [string, Lease, object] => [
    host,
    makeLease(`https://${host}:1`),
    { obstacle: `its Lease names the address ${host.replace(/^\[(.*)\]$/, '$1')}, where no agent can be` },
  ]),
])('reads %s', ([, lease, presence]) => {
  const planned = planAgentEndpoint(lease, rules);
  if (presence === undefined) expect(planned).toBeUndefined();
  else expect(planned).toMatchObject(presence);
});

it('takes an agent on the same machine where there is but one', () => {
  const lease = makeLease('https://127.0.0.1:1');
  expect(planAgentEndpoint(lease, { ...rules, allowsLoopback: true })).toMatchObject({ address: '127.0.0.1' });
  const metadata = makeLease('https://169.254.169.254:1');
  expect(planAgentEndpoint(metadata, { ...rules, allowsLoopback: true })).toHaveProperty('obstacle');
});
