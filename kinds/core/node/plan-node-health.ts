import { deepEqual } from '../../../core/meta/deep.ts';
import { formatTime, parseTime } from '../../../core/time/time.ts';
import { findCondition, type NodeCondition, type NodeObject } from './node-object.ts';

/** How long a node may be silent. */
export interface NodeHealthSettings {
  /** A node that was heard of. */
  readonly monitorGraceMillis: number;
  /** A node that never posted its status. */
  readonly startupGraceMillis: number;
}

/** What was last heard of a node, and when, by the clock of whoever listens: the node's own may be wrong. */
export interface NodeHealth {
  readonly uid: string | undefined;
  readonly heardMillis: number;
  /** As it was last seen; `undefined` when the node had none. */
  readonly ready: NodeCondition | undefined;
  /** When the node's Lease said that it was renewed. */
  readonly renewTime: string | undefined;
}

/** What a look at a node brings. */
export interface NodeHealthPlan {
  /** To be remembered until the next look, whether the write succeeds or not. */
  readonly health: NodeHealth;
  /** What the node's `Ready` said before this look; a node that never said is `Unknown`. */
  readonly observed: string;
  /** What it says from now on; `undefined` while a new node may still come up. */
  readonly current: NodeCondition | undefined;
  /** The node's conditions as they must be written; `undefined` when nothing needs a write. */
  readonly conditions: NodeCondition[] | undefined;
}

/** The network of a node is for the control plane to tell of, not for the node. */
const silencedTypes = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The remembered health, brought up to date by what the node's status says now. */
function hear(node: NodeObject, known: NodeHealth | undefined, nowMillis: number): NodeHealth {
  const { uid, creationTimestamp } = node.metadata;
  const ready = findCondition(node.status?.conditions, 'Ready');
  const old = known?.uid === uid ? known : undefined;
  if (old === undefined && ready === undefined) {
    const heardMillis = parseTime(creationTimestamp ?? '') ?? nowMillis;
    return { uid, heardMillis, ready, renewTime: undefined };
  }
  // Nothing is held against a node from before it was first looked at.
  if (old === undefined) return { uid, heardMillis: nowMillis, ready, renewTime: undefined };
  const isNew = (old.ready === undefined) !== (ready === undefined);
  const hasBeaten = old.ready?.lastHeartbeatTime !== ready?.lastHeartbeatTime;
  if (isNew) return { uid, heardMillis: nowMillis, ready, renewTime: undefined };
  return hasBeaten ? { ...old, heardMillis: nowMillis, ready, renewTime: undefined } : { ...old, ready };
}

function hearLease(health: NodeHealth, renewTime: string | undefined, nowMillis: number): NodeHealth {
  if (renewTime === undefined) return health;
  const renewed = parseTime(renewTime) ?? -Infinity;
  const known = health.renewTime === undefined ? undefined : parseTime(health.renewTime);
  return known === undefined || known < renewed ? { ...health, renewTime, heardMillis: nowMillis } : health;
}

function silence(node: NodeObject, nowMillis: number): NodeCondition[] {
  const now = formatTime(nowMillis);
  const conditions = (node.status?.conditions ?? []).map((condition) =>
    silencedTypes.includes(condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        }
      : condition,
  );
  for (const type of silencedTypes) {
    if (findCondition(conditions, type) !== undefined) continue;
    conditions.push({
      ...{ type, status: 'Unknown', reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' },
      ...{ lastHeartbeatTime: node.metadata.creationTimestamp ?? null, lastTransitionTime: now },
    });
  }
  return conditions;
}

/**
 * Judges whether a node still speaks, by its status or its Lease (`renewTime`, `undefined` when there is none): one that was silent for
 * longer than its grace has conditions that nobody knows. `known` is the health of the look before, `undefined` at the first.
 */
export function planNodeHealth(
  node: NodeObject,
  known: NodeHealth | undefined,
  renewTime: string | undefined,
  nowMillis: number,
  settings: NodeHealthSettings,
): NodeHealthPlan {
  const ready = findCondition(node.status?.conditions, 'Ready');
  const health = hearLease(hear(node, known, nowMillis), renewTime, nowMillis);
  const observed = ready?.status ?? 'Unknown';
  const graceMillis = ready === undefined ? settings.startupGraceMillis : settings.monitorGraceMillis;
  if (nowMillis <= health.heardMillis + graceMillis) return { health, observed, current: ready, conditions: undefined };
  const conditions = silence(node, nowMillis);
  const current = findCondition(conditions, 'Ready');
  return { health, observed, current, conditions: deepEqual(current, ready) ? undefined : conditions };
}

/** The health after a time in which nobody listened: it does not count as the node's silence. */
export function excuseSilence(health: NodeHealth, missedMillis: number): NodeHealth {
  return { ...health, heardMillis: health.heardMillis + missedMillis };
}
