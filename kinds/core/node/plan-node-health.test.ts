import { describe, expect, it } from 'vitest';

import { formatTime } from '../../../core/time/time.ts';
import type { NodeCondition, NodeObject } from './node-object.ts';
import { excuseSilence, type NodeHealth, planNodeHealth } from './plan-node-health.ts';

const settings = { monitorGraceMillis: 50_000, startupGraceMillis: 60_000 };
const start = Date.UTC(2026, 0, 1);
const created = formatTime(start);

function makeReady(beatSeconds: number, more: Partial<NodeCondition> = {}): NodeCondition {
  return {
    ...{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
    ...{ lastHeartbeatTime: formatTime(start + beatSeconds * 1_000), lastTransitionTime: created },
    ...more,
  };
}

function makeNode(...conditions: NodeCondition[]): NodeObject {
  const metadata = { name: 'a', uid: 'u', creationTimestamp: created };
  return { apiVersion: 'v1', kind: 'Node', metadata, ...(conditions.length > 0 ? { status: { conditions } } : {}) };
}

interface Look {
  readonly atSeconds: number;
  readonly node: NodeObject;
  readonly renewSeconds?: number;
}

/** What the last of some looks found. */
function look(...looks: Look[]) {
  let health: NodeHealth | undefined;
  let ready: string | undefined;
  let conditions: NodeCondition[] | undefined;
  for (const { atSeconds, node, renewSeconds } of looks) {
    const renewTime = renewSeconds === undefined ? undefined : formatTime(start + renewSeconds * 1_000);
    const plan = planNodeHealth(node, health, renewTime, start + atSeconds * 1_000, settings);
    ({ health, conditions } = plan);
    ready = plan.current?.status;
  }
  return { ready, isWritten: conditions !== undefined, conditions };
}

describe('a node that posted its status', () => {
  const node = makeNode(makeReady(0));
  it.for<[string, Look[], string, boolean]>([
    [
      'is ready while it beats',
      [
        { atSeconds: 0, node },
        { atSeconds: 50, node: makeNode(makeReady(40)) },
      ],
      'True',
      false,
    ],
    [
      'is ready at the end of its grace',
      [
        { atSeconds: 0, node },
        { atSeconds: 50, node },
      ],
      'True',
      false,
    ],
    [
      'is unknown after it',
      [
        { atSeconds: 0, node },
        { atSeconds: 50.001, node },
      ],
      'Unknown',
      true,
    ],
    [
      'is ready while it renews its Lease',
      [
        { atSeconds: 0, node, renewSeconds: 0 },
        { atSeconds: 40, node, renewSeconds: 35 },
        { atSeconds: 90, node, renewSeconds: 35 },
      ],
      'True',
      false,
    ],
    [
      'is unknown when it renews no longer',
      [
        { atSeconds: 0, node, renewSeconds: 0 },
        { atSeconds: 40, node, renewSeconds: 35 },
        { atSeconds: 91, node, renewSeconds: 35 },
      ],
      'Unknown',
      true,
    ],
    ['has its grace from the first look, whatever was before', [{ atSeconds: 4_000, node }], 'True', false],
    [
      'has it from there for a Lease that ran out long ago, too',
      [
        { atSeconds: 4_000, node, renewSeconds: 0 },
        { atSeconds: 4_049, node, renewSeconds: 0 },
      ],
      'True',
      false,
    ],
    [
      'is judged by the clock of whoever looks',
      [
        { atSeconds: 0, node: makeNode(makeReady(-9_000)) },
        { atSeconds: 50, node: makeNode(makeReady(-8_999)) },
      ],
      'True',
      false,
    ],
    [
      'has a new grace when it is another node',
      [
        { atSeconds: 0, node },
        { atSeconds: 90, node: { ...node, metadata: { ...node.metadata, uid: 'v' } } },
      ],
      'True',
      false,
    ],
    [
      'that is not ready is unknown as well when it falls silent',
      [0, 51].map((atSeconds) => ({ atSeconds, node: makeNode(makeReady(0, { status: 'False' })) })),
      'Unknown',
      true,
    ],
    [
      'that is unknown is written once',
      [0, 51].map((atSeconds) => ({ atSeconds, node: makeNode(makeReady(0, { status: 'Unknown' })) })),
      'Unknown',
      false,
    ],
  ])('%s', ([, looks, ready, isWritten]) => {
    expect(look(...looks)).toMatchObject({ ready, isWritten });
  });

  it('keeps its heartbeats and what is not its own to tell when it falls silent', () => {
    const others = [
      { type: 'MemoryPressure', status: 'False', reason: 'Fine', message: 'm', lastHeartbeatTime: created },
      { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated', message: 'm' },
    ];
    const silent = makeNode(makeReady(0), ...others);
    const now = formatTime(start + 60_000);
    const stopped = {
      ...{ status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' },
      lastTransitionTime: now,
    };
    const never = {
      ...{ status: 'Unknown', reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' },
      ...{ lastHeartbeatTime: created, lastTransitionTime: now },
    };
    expect(look({ atSeconds: 0, node: silent }, { atSeconds: 60, node: silent }).conditions).toEqual([
      { ...makeReady(0), ...stopped },
      { ...others[0], ...stopped },
      others[1],
      { type: 'DiskPressure', ...never },
      { type: 'PIDPressure', ...never },
    ]);
  });
});

describe('a node that never posted its status', () => {
  const node = makeNode();
  it.for<[string, Look[], string | undefined]>([
    ['has a longer grace, from its creation', [{ atSeconds: 59, node }], undefined],
    ['is unknown after it', [{ atSeconds: 61, node }], 'Unknown'],
    ['is waited for while it renews its Lease', [{ atSeconds: 300, node, renewSeconds: 299 }], undefined],
    [
      'has its grace anew when it posts one',
      [
        { atSeconds: 50, node },
        { atSeconds: 90, node: makeNode(makeReady(0)) },
      ],
      'True',
    ],
    [
      'and when it takes it back',
      [
        { atSeconds: 0, node: makeNode(makeReady(0)) },
        { atSeconds: 55, node },
      ],
      undefined,
    ],
  ])('%s', ([, looks, ready]) => {
    expect(look(...looks).ready).toBe(ready);
  });

  it('has four conditions that nobody knows', () => {
    const { conditions } = look({ atSeconds: 61, node });
    expect(conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual(
      ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map(
        (type) => `${type} Unknown NodeStatusNeverUpdated`,
      ),
    );
  });
});

describe('excuseSilence', () => {
  it('gives back the time in which nobody listened', () => {
    const node = makeNode(makeReady(0));
    const { health } = planNodeHealth(node, undefined, undefined, start, settings);
    const excused = excuseSilence(health, 600_000);
    expect(planNodeHealth(node, excused, undefined, start + 649_000, settings).current?.status).toBe('True');
    expect(planNodeHealth(node, excused, undefined, start + 651_000, settings).current?.status).toBe('Unknown');
  });
});
