import { describe, expect, it } from 'vitest';
import type { RuntimeStatus } from '../cri/container-runtime.ts';
import { planConditions, type ConditionFacts } from './plan-conditions.ts';
import { planRuntimeHealth, unknownRuntimeHealth, type RuntimeHealth } from './plan-runtime-health.ts';
import { planThresholds } from './plan-thresholds.ts';

const spec = 'Resources and their fields/Node status reported by the node agent';
const nowMillis = Date.UTC(2026, 0, 1);
const now = '2026-01-01T00:00:00Z';
const before = '2025-12-31T00:00:00Z';
const gibi = 1024 ** 3;
const space = { device: 1, capacityBytes: 100 * gibi, availableBytes: 50 * gibi, inodes: 1000, inodesFree: 500 };

function answer(ready: boolean, network: boolean | undefined): RuntimeStatus {
  const conditions = [
    { type: 'RuntimeReady', status: ready, reason: ready ? '' : 'Down', message: ready ? '' : 'it is down' },
    ...(network === undefined
      ? []
      : [
          {
            type: 'NetworkReady',
            status: network,
            reason: 'NetworkPluginNotReady',
            message: 'cni plugin not initialized',
          },
        ]),
  ];
  return { conditions, handlers: [], supplementalGroupsPolicy: false };
}

function ask(status: RuntimeStatus | undefined, known: RuntimeHealth = unknownRuntimeHealth, millis = nowMillis) {
  return planRuntimeHealth(known, status, millis);
}

const facts: ConditionFacts = {
  usage: {
    memory: { capacity: 16 * gibi, available: 8 * gibi },
    nodeFs: space,
    imageFs: space,
    containerFs: space,
    pids: { capacity: 32768, available: 30000 },
  },
  thresholds: planThresholds({
    'memory.available': '100Mi',
    'nodefs.available': '10%',
    'nodefs.inodesFree': '5%',
    'imagefs.available': '15%',
    'imagefs.inodesFree': '5%',
    'pid.available': '10%',
  }).thresholds,
  runtime: ask(answer(true, true)),
  capacityNames: ['cpu', 'memory', 'pods', 'ephemeral-storage'],
  seen: {},
  transitionMillis: 300_000,
  previous: [],
  nowMillis,
};

function find(given: Partial<ConditionFacts>, type: string) {
  return planConditions({ ...facts, ...given }).conditions.find((condition) => condition.type === type);
}

describe('conditions of a node', () => {
  it(`of one that is well say so, the last of all that it is ready [${spec}#3] [${spec}#7]`, () => {
    const { conditions, changes } = planConditions(facts);
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    expect(conditions).toEqual([
      {
        ...{ type: 'NetworkUnavailable', status: 'False', reason: 'RuntimeNetworkReady' },
        ...{ message: 'container runtime network is ready', ...times },
      },
      {
        ...{ type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
        ...{ message: 'kubelet has sufficient memory available', ...times },
      },
      {
        ...{ type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure' },
        ...{ message: 'kubelet has no disk pressure', ...times },
      },
      {
        ...{ type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID' },
        ...{ message: 'kubelet has sufficient PID available', ...times },
      },
      {
        ...{ type: 'Ready', status: 'True', reason: 'KubeletReady' },
        ...{ message: 'kubelet is posting ready status', ...times },
      },
    ]);
    expect(changes.map(({ reason }) => reason)).toEqual([
      'NodeHasSufficientMemory',
      'NodeHasNoDiskPressure',
      'NodeHasSufficientPID',
    ]);
  });

  it.for([
    [
      `memory [${spec}#10]`,
      'MemoryPressure',
      'KubeletHasInsufficientMemory',
      { memory: { capacity: 16 * gibi, available: 99 * 1024 ** 2 } },
    ],
    [`disk [${spec}#9]`, 'DiskPressure', 'KubeletHasDiskPressure', { nodeFs: { ...space, availableBytes: 9 * gibi } }],
    ['inodes', 'DiskPressure', 'KubeletHasDiskPressure', { nodeFs: { ...space, inodesFree: 49 } }],
    ['disk of images', 'DiskPressure', 'KubeletHasDiskPressure', { imageFs: { ...space, availableBytes: 14 * gibi } }],
    [
      `processes [${spec}#11]`,
      'PIDPressure',
      'KubeletHasInsufficientPID',
      { pids: { capacity: 32768, available: 3000 } },
    ],
  ] as const)('tell of too little %s', ([, type, reason, usage]) => {
    const condition = find({ usage: { ...facts.usage, ...usage } }, type);
    expect(condition).toMatchObject({ status: 'True', reason, lastTransitionTime: now });
  });

  it.for([
    ['exactly what must be left', { memory: { capacity: 16 * gibi, available: 100 * 1024 ** 2 } }],
    ['a file system without a number of inodes', { nodeFs: { ...space, inodes: 0, inodesFree: 0 } }],
    ['nothing that was measured', { memory: undefined, nodeFs: undefined, imageFs: undefined, pids: undefined }],
  ] as const)('tell of no pressure at %s', ([, usage]) => {
    const { conditions } = planConditions({ ...facts, usage: { ...facts.usage, ...usage } });
    expect(conditions.filter(({ status }) => status === 'True').map(({ type }) => type)).toEqual(['Ready']);
  });

  it('keep pressure for a while after its cause has gone', () => {
    const usage = { ...facts.usage, memory: { capacity: 16 * gibi, available: 1 } };
    const first = planConditions({ ...facts, usage });
    const states = [0, 299_999, 300_000].map((millis) => {
      const later = { ...facts, seen: first.seen, previous: first.conditions, nowMillis: nowMillis + millis };
      return planConditions(later).conditions.find(({ type }) => type === 'MemoryPressure')?.status;
    });
    expect(states).toEqual(['True', 'True', 'False']);
  });

  it('keep the time of their last change while they say the same', () => {
    const previous = planConditions(facts).conditions.map((condition) => ({
      ...condition,
      lastTransitionTime: before,
    }));
    const { conditions, changes } = planConditions({ ...facts, previous });
    expect(conditions.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(Array(5).fill(before));
    expect(conditions.map(({ lastHeartbeatTime }) => lastHeartbeatTime)).toEqual(Array(5).fill(now));
    expect(changes).toEqual([]);
  });

  it('that others made unknown are known again, and that is an event', () => {
    const previous = planConditions(facts).conditions.map((condition) => ({ ...condition, status: 'Unknown' }));
    const { conditions, changes } = planConditions({ ...facts, previous });
    expect(conditions.map(({ status }) => status)).toEqual(['False', 'False', 'False', 'False', 'True']);
    expect(changes.map(({ reason }) => reason)).toContain('NodeReady');
  });

  it.for([
    [
      'never asked',
      unknownRuntimeHealth,
      '[container runtime status check may not have completed yet, network state unknown]',
    ],
    [
      'not ready',
      ask(answer(false, true)),
      '[container runtime status check may not have completed yet, container runtime not ready: RuntimeReady=false reason:Down message:it is down]',
    ],
    [
      'without a network',
      ask(answer(true, false)),
      'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized',
    ],
    ['silent of its network', ask(answer(true, undefined)), 'container runtime network not ready: <nil>'],
    [
      'gone for 30 s',
      ask(undefined, ask(answer(true, true), unknownRuntimeHealth, nowMillis - 30_000)),
      'container runtime is down',
    ],
  ] as const)(`of a node whose runtime is %s say that it is not ready [${spec}#8]`, ([, runtime, message]) => {
    expect(find({ runtime }, 'Ready')).toMatchObject({ status: 'False', reason: 'KubeletNotReady', message });
  });

  it('outlast a runtime that is gone for less than 30 s', () => {
    const runtime = ask(undefined, ask(answer(true, true), unknownRuntimeHealth, nowMillis - 29_999));
    expect(find({ runtime }, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('of a node that could not be measured say what is missing', () => {
    const message = 'missing node capacity for resources: cpu, ephemeral-storage';
    expect(find({ capacityNames: ['memory', 'pods'] }, 'Ready')).toMatchObject({ status: 'False', message });
  });

  it.for([
    [ask(answer(true, true)), 'False', 'RuntimeNetworkReady'],
    [ask(answer(true, false)), 'True', 'RuntimeNetworkNotReady'],
    [ask(answer(true, undefined)), 'Unknown', 'RuntimeNetworkUnknown'],
    [unknownRuntimeHealth, 'Unknown', 'RuntimeNetworkUnknown'],
    [
      ask(undefined, ask(answer(true, true), unknownRuntimeHealth, nowMillis - 60_000)),
      'Unknown',
      'RuntimeNetworkUnknown',
    ],
  ] as const)(`tell of the network what the runtime does, %#: [${spec}#12]`, ([runtime, status, reason]) => {
    expect(find({ runtime }, 'NetworkUnavailable')).toMatchObject({ status, reason });
  });

  it('leave what a network plugin told of the network', () => {
    const theirs = {
      type: 'NetworkUnavailable',
      status: 'False',
      reason: 'CalicoIsUp',
      message: 'Calico is running on this node',
    };
    expect(find({ previous: [theirs], runtime: ask(answer(true, false)) }, 'NetworkUnavailable')).toEqual(theirs);
  });
});
