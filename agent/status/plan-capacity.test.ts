import { describe, expect, it } from 'vitest';
import { checkReserved, planCapacity, type CapacityFacts } from './plan-capacity.ts';
import { planThresholds } from './plan-thresholds.ts';

const facts: CapacityFacts = {
  machine: {
    cpuCount: 4,
    memoryBytes: 16374292 * 1024,
    hugePages: [
      { pageBytes: 1024 ** 3, totalBytes: 0 },
      { pageBytes: 2 * 1024 ** 2, totalBytes: 256 * 1024 ** 2 },
    ],
  },
  storageBytes: 105088212992,
  maxPods: 110,
  podsPerCore: 0,
  reserved: [],
  thresholds: planThresholds({ 'memory.available': '100Mi', 'nodefs.available': '10%' }).thresholds,
};

describe('capacity of a node', () => {
  it('is what it has, and allocatable what pods may have of it [Resources and their fields/Node status reported by the node agent#4] [Resources and their fields/Node status reported by the node agent#5]', () => {
    expect(planCapacity({ ...facts, reserved: [{ cpu: '500m', memory: '1Gi' }, { cpu: '100m' }] })).toEqual({
      capacity: {
        cpu: '4',
        'ephemeral-storage': '102625208Ki',
        'hugepages-1Gi': '0',
        'hugepages-2Mi': '256Mi',
        memory: '16374292Ki',
        pods: '110',
      },
      allocatable: {
        cpu: '3400m',
        'ephemeral-storage': '94579391537',
        'hugepages-1Gi': '0',
        'hugepages-2Mi': '256Mi',
        memory: '14961172Ki',
        pods: '110',
      },
    });
  });

  it.for([
    [0, 110, '110'],
    [10, 110, '40'],
    [100, 110, '110'],
    [0, 0, '0'],
  ] as const)('is, at %s pods for a CPU and at most %s, %s pods', ([podsPerCore, maxPods, pods]) => {
    expect(planCapacity({ ...facts, podsPerCore, maxPods }).capacity['pods']).toBe(pods);
  });

  it('is never less than nothing', () => {
    const reserved = [{ cpu: '100', memory: '1Ti', 'ephemeral-storage': '1Pi' }];
    const { allocatable } = planCapacity({ ...facts, reserved });
    expect(allocatable).toMatchObject({ cpu: '0', memory: '0', 'ephemeral-storage': '0' });
  });

  it('names no storage that was not measured, and says 0 of CPU and memory that were not', () => {
    const machine = { cpuCount: undefined, memoryBytes: undefined, hugePages: [] };
    const { capacity } = planCapacity({ ...facts, machine, storageBytes: undefined });
    expect(capacity).toEqual({ cpu: '0', memory: '0', pods: '110' });
  });

  it.for([
    [{ cpu: '100m', memory: '1Gi', 'ephemeral-storage': '1Gi', pid: '100' }, []],
    [{ gpus: '1' }, ['cannot reserve "gpus" resource']],
    [{ cpu: '-1' }, ['resource quantity for "cpu" cannot be negative: -1']],
    [
      { memory: 'much' },
      [
        'failed to parse quantity "much" for "memory" resource: quantities must match the regular expression ' +
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      ],
    ],
  ] as const)('is reserved as %j says, but for: %j', ([reserved, messages]) => {
    expect(checkReserved(reserved).map(({ message }) => message)).toEqual(messages);
  });
});
