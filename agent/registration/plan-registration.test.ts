import { describe, expect, it } from 'vitest';
import { planLabels, planNewNode } from './plan-registration.ts';
import { adoptExtended, planStatusPatch, planStatusWrite, type StatusWriteFacts } from './plan-status-write.ts';
import type { AgentNode, MeasuredNode } from '../status/agent-node.ts';

const reportMillis = 300_000;
const ready = {
  ...{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  ...{ lastHeartbeatTime: '2026-01-01T00:05:00Z', lastTransitionTime: '2026-01-01T00:00:00Z' },
};
const network = { type: 'NetworkUnavailable', status: 'False', reason: 'CalicoIsUp' };
const measured: MeasuredNode = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-1', labels: { 'kubernetes.io/hostname': 'node-1', 'kubernetes.io/os': 'linux' } },
  status: {
    addresses: [{ type: 'InternalIP', address: '192.0.2.7' }],
    capacity: { cpu: '2', memory: '1Gi' },
    allocatable: { cpu: '1900m', memory: '900Mi' },
    conditions: [network, ready],
    daemonEndpoints: { kubeletEndpoint: { Port: 10350 } },
    nodeInfo: {
      ...{ machineID: 'm', systemUUID: 's', bootID: 'b', kernelVersion: '6.1', osImage: 'Debian' },
      ...{ containerRuntimeVersion: 'containerd://2', kubeletVersion: 'v1.34.4', kubeProxyVersion: '' },
      ...{ operatingSystem: 'linux', architecture: 'amd64' },
    },
    images: [],
  },
};

/** The Node as an API server has it: without what is empty. */
function write(change: Partial<AgentNode['status']> = {}): AgentNode {
  const { images: _, ...status } = measured.status;
  const old = { ...ready, lastHeartbeatTime: '2026-01-01T00:00:00Z' };
  return { ...measured, status: { ...status, conditions: [old, network], ...change } };
}

function plan(given: Partial<StatusWriteFacts>) {
  return planStatusWrite({
    ...{ written: write(), measured, reportedMillis: 0, reportMillis, delayMillis: 0, nowMillis: 10_000, random: 0.75 },
    ...given,
  });
}

describe('the status of a node', () => {
  it.for<readonly [string, Partial<StatusWriteFacts>, 'changed' | 'due' | undefined, number]>([
    ['not while it says the same', {}, undefined, 0],
    ['not a moment before its time', { nowMillis: reportMillis - 1 }, undefined, 0],
    ['when it is due', { nowMillis: reportMillis }, 'due', 0],
    ['when the clock was set back', { nowMillis: -1 }, 'due', 0],
    ['later, when it was put off', { nowMillis: reportMillis, delayMillis: 1 }, undefined, 1],
    ['at first, and then at a time of its own', { reportedMillis: undefined }, 'due', 75_000],
    ['when it changed', { written: write({ capacity: { cpu: '4', memory: '1Gi' } }) }, 'changed', 75_000],
    [
      'when it was made unknown',
      { written: write({ conditions: [{ ...ready, status: 'Unknown' }] }) },
      'changed',
      75_000,
    ],
    [
      'when an image came',
      { measured: { ...measured, status: { ...measured.status, images: [{ names: ['a'], sizeBytes: 1 }] } } },
      'changed',
      75_000,
    ],
    ['when an image went', { written: write({ images: [{ names: ['a'], sizeBytes: 1 }] }) }, 'changed', 75_000],
    [
      'when huge pages went',
      { written: write({ capacity: { cpu: '2', memory: '1Gi', 'hugepages-2Mi': '0' } }) },
      'changed',
      75_000,
    ],
    [
      'not for what others give it',
      { written: write({ capacity: { cpu: '2', memory: '1Gi', 'acme.example/fpga': '1' } }) },
      undefined,
      0,
    ],
  ])('is written %s [Limits#14]', ([, given, reason, delayMillis]) => {
    expect(plan(given)).toEqual({ reason, delayMillis });
  });

  it('is written without what others say', () => {
    const patch = planStatusPatch(
      write({ capacity: { cpu: '2', 'hugepages-1Gi': '0', 'acme.example/fpga': '1' } }),
      measured,
    );
    expect(patch).toMatchObject({
      status: {
        conditions: [ready],
        capacity: { cpu: '2', memory: '1Gi', 'hugepages-1Gi': null },
        addresses: [{ type: 'InternalIP', address: '192.0.2.7' }, { $patch: 'replace' }],
      },
    });
    expect((patch['status'] as { conditions: unknown[] }).conditions).toHaveLength(1);
  });

  it('lets pods have what others gave the node', () => {
    const capacity = { cpu: '9', 'acme.example/fpga': '2', 'scheduling.kubernetes.io/x': '1' };
    expect(adoptExtended(write({ capacity }), measured).status).toMatchObject({
      capacity: { cpu: '2', memory: '1Gi', 'acme.example/fpga': '2' },
      allocatable: { cpu: '1900m', memory: '900Mi', 'acme.example/fpga': '2' },
    });
  });
});

describe('a node that is registered', () => {
  it('has the taints it was given, and one that keeps pods from a node that runs none', () => {
    const given = { key: 'team', value: 'a', effect: 'NoExecute' };
    expect(planNewNode(measured, { domain: 'acme.example', taints: [given], providerId: 'acme://7' })).toEqual({
      ...measured,
      spec: { providerID: 'acme://7', taints: [given, { key: 'node.acme.example/no-pods', effect: 'NoSchedule' }] },
    });
  });

  it.for([
    [{ 'kubernetes.io/hostname': 'node-1', 'kubernetes.io/os': 'linux', team: 'a' }, undefined],
    [
      { 'kubernetes.io/hostname': 'other', team: 'a' },
      { 'kubernetes.io/hostname': 'node-1', 'kubernetes.io/os': 'linux' },
    ],
  ] as const)('before, with labels %j, gets those of the machine: %j', ([labels, changes]) => {
    expect(planLabels({ ...measured, metadata: { name: 'node-1', labels } }, measured)).toEqual(changes);
  });
});
