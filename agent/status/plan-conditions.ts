import { compareQuantities, quantityFromInteger } from '../../core/quantity/quantity.ts';
import { formatTime } from '../../core/time/time.ts';
import { findCondition, type NodeCondition } from '../../kinds/core/node/node-object.ts';
import type { FilesystemSpace } from './host-files.ts';
import { isHeardOf, listRuntimeErrors, type RuntimeHealth } from './plan-runtime-health.ts';
import {
  pressureOfSignal,
  resolveThreshold,
  type PressureType,
  type Signal,
  type Threshold,
} from './plan-thresholds.ts';
import type { NodeUsage, Supply } from './read-usage.ts';

/** When pressure of each kind was last seen; kept from one look to the next. */
export type PressureMemory = Readonly<Partial<Record<PressureType, number>>>;

/** What conditions are decided by. */
export interface ConditionFacts {
  readonly usage: NodeUsage;
  readonly thresholds: readonly Threshold[];
  readonly runtime: RuntimeHealth;
  /** Resources that the node's capacity names. */
  readonly capacityNames: readonly string[];
  readonly seen: PressureMemory;
  /** How long a condition of pressure stays after its cause has gone. */
  readonly transitionMillis: number;
  /** As they are written now, whoever wrote them. */
  readonly previous: readonly NodeCondition[];
  readonly nowMillis: number;
}

/** What happened to a node, to be told by an Event. */
export interface NodeChange {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** Absent: that the node's status is now what the reason says. */
  readonly message?: string;
}

/** Conditions as they must be, and what changed. */
export interface ConditionPlan {
  readonly conditions: NodeCondition[];
  readonly seen: PressureMemory;
  readonly changes: readonly NodeChange[];
}

/** Words of a condition, by its status. */
interface Words {
  readonly reason: string;
  readonly message: string;
  readonly event: string;
}

const pressureWords: Readonly<Record<PressureType, { readonly True: Words; readonly False: Words }>> = {
  MemoryPressure: {
    True: {
      reason: 'KubeletHasInsufficientMemory',
      message: 'kubelet has insufficient memory available',
      event: 'NodeHasInsufficientMemory',
    },
    False: {
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
      event: 'NodeHasSufficientMemory',
    },
  },
  DiskPressure: {
    True: { reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure', event: 'NodeHasDiskPressure' },
    False: {
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
      event: 'NodeHasNoDiskPressure',
    },
  },
  PIDPressure: {
    True: {
      reason: 'KubeletHasInsufficientPID',
      message: 'kubelet has insufficient PID available',
      event: 'NodeHasInsufficientPID',
    },
    False: {
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
      event: 'NodeHasSufficientPID',
    },
  },
};
const pressureTypes = Object.keys(pressureWords) as PressureType[];
const networkReasons = ['RuntimeNetworkReady', 'RuntimeNetworkNotReady', 'RuntimeNetworkUnknown'];
const requiredCapacities = ['cpu', 'memory', 'pods', 'ephemeral-storage'];

function findSupply(signal: Signal, usage: NodeUsage): Supply | undefined {
  const spaceOf = (space: FilesystemSpace | undefined, inodes: boolean): Supply | undefined => {
    if (space === undefined) return undefined;
    if (!inodes) return { capacity: space.capacityBytes, available: space.availableBytes };
    // Some file systems have as many as they like, and say 0.
    return space.inodes === 0 ? undefined : { capacity: space.inodes, available: space.inodesFree };
  };
  const inodes = signal.endsWith('.inodesFree');
  if (signal.startsWith('nodefs.')) return spaceOf(usage.nodeFs, inodes);
  if (signal.startsWith('imagefs.')) return spaceOf(usage.imageFs, inodes);
  if (signal.startsWith('containerfs.')) return spaceOf(usage.containerFs, inodes);
  if (signal === 'pid.available') return usage.pids;
  return signal === 'memory.available' ? usage.memory : undefined;
}

/** Thresholds that are crossed; what could not be measured crosses none. */
function listCrossed(thresholds: readonly Threshold[], usage: NodeUsage): Threshold[] {
  return thresholds.filter(({ signal, value }) => {
    const supply = findSupply(signal, usage);
    if (supply === undefined) return false;
    const least = resolveThreshold(value, quantityFromInteger(supply.capacity));
    return compareQuantities(least, quantityFromInteger(supply.available)) > 0;
  });
}

function planPressure(type: PressureType, facts: ConditionFacts, seen: PressureMemory): [NodeCondition, NodeChange[]] {
  const { nowMillis, previous, transitionMillis } = facts;
  const lastMillis = seen[type];
  const status = lastMillis !== undefined && nowMillis < lastMillis + transitionMillis ? 'True' : 'False';
  const known = findCondition(previous, type);
  const now = formatTime(nowMillis);
  if (known?.status === status) return [{ ...known, lastHeartbeatTime: now }, []];
  const { reason, message, event } = pressureWords[type][status];
  const condition = { type, status, lastHeartbeatTime: now, lastTransitionTime: now, reason, message };
  return [condition, [{ type: 'Normal', reason: event }]];
}

function planReady(facts: ConditionFacts): [NodeCondition, NodeChange[]] {
  const { capacityNames, nowMillis, previous, runtime } = facts;
  const errors = listRuntimeErrors(runtime, nowMillis);
  const missing = requiredCapacities.filter((name) => !capacityNames.includes(name));
  if (missing.length > 0) errors.push(`missing node capacity for resources: ${missing.join(', ')}`);
  const status = errors.length === 0 ? 'True' : 'False';
  const known = findCondition(previous, 'Ready');
  const now = formatTime(nowMillis);
  const isSame = known?.status === status;
  const condition = {
    type: 'Ready',
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: isSame ? (known.lastTransitionTime ?? now) : now,
    reason: errors.length === 0 ? 'KubeletReady' : 'KubeletNotReady',
    message: errors.length === 0 ? 'kubelet is posting ready status' : joinErrors(errors),
  };
  if (known === undefined || isSame) return [condition, []];
  return [condition, [{ type: 'Normal', reason: status === 'True' ? 'NodeReady' : 'NodeNotReady' }]];
}

function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}

function describeNetwork({ runtime, nowMillis }: ConditionFacts): { status: string; reason: string; message: string } {
  const { network, networkError } = runtime;
  if (network === undefined || (!isHeardOf(runtime, nowMillis) && network.status)) {
    const message = 'the container runtime does not say whether its network is ready';
    return { status: 'Unknown', reason: 'RuntimeNetworkUnknown', message };
  }
  if (!network.status) return { status: 'True', reason: 'RuntimeNetworkNotReady', message: networkError ?? '' };
  return { status: 'False', reason: 'RuntimeNetworkReady', message: 'container runtime network is ready' };
}

function planNetwork(facts: ConditionFacts): NodeCondition {
  const known = findCondition(facts.previous, 'NetworkUnavailable');
  // Where a network plugin or a route controller tells of the network, it knows better.
  if (known !== undefined && !networkReasons.includes(known.reason ?? '')) return known;
  const { status, reason, message } = describeNetwork(facts);
  const now = formatTime(facts.nowMillis);
  const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? now) : now;
  return { type: 'NetworkUnavailable', status, lastHeartbeatTime: now, lastTransitionTime, reason, message };
}

/**
 * The five conditions of a node by what was measured. Types, reasons and messages are the kubelet's, since others go by them; of the
 * network, which no kubelet tells of, the runtime does, unless someone else tells of it already.
 */
export function planConditions(facts: ConditionFacts): ConditionPlan {
  const seen: Partial<Record<PressureType, number>> = { ...facts.seen };
  for (const { signal } of listCrossed(facts.thresholds, facts.usage)) seen[pressureOfSignal(signal)] = facts.nowMillis;
  const pressures = pressureTypes.map((type) => planPressure(type, facts, seen));
  const all = [...pressures, planReady(facts)];
  return {
    conditions: [planNetwork(facts), ...all.map(([condition]) => condition)],
    seen,
    changes: all.flatMap(([, changes]) => changes),
  };
}
