import { deepEqual } from '../../core/meta/deep.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import { findCondition } from '../../kinds/core/node/node-object.ts';
import type { AgentNode, MeasuredNode, ResourceAmounts } from '../status/agent-node.ts';

/** What was written last, and how often it must be written whatever happens. */
export interface StatusWriteFacts {
  /** The Node at the API. */
  readonly written: AgentNode;
  readonly measured: MeasuredNode;
  /** When this agent last wrote it; `undefined` when it has not yet. */
  readonly reportedMillis: number | undefined;
  readonly reportMillis: number;
  /** Added to `reportMillis` this once. */
  readonly delayMillis: number;
  readonly nowMillis: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** Whether the status is written, why, and what delays the next write that nothing but time brings about. */
export interface StatusWritePlan {
  readonly reason: 'changed' | 'due' | undefined;
  readonly delayMillis: number;
}

const hugePagesPrefix = 'hugepages-';

/** Resources that someone gave the node by hand, or a device: a domain of their own stands before the slash. */
function isExtended(name: string): boolean {
  return name.includes('/') && !/^([^/]*\.)?kubernetes\.io\//.test(name) && !name.startsWith('requests.');
}

/** What was measured, with the resources that others gave the node: pods may have all of those. */
export function adoptExtended(written: AgentNode, measured: MeasuredNode): MeasuredNode {
  const given = Object.entries(written.status?.capacity ?? {}).filter(([name]) => isExtended(name));
  if (given.length === 0) return measured;
  const extended = Object.fromEntries(given);
  const { allocatable, capacity } = measured.status;
  return {
    ...measured,
    status: {
      ...measured.status,
      capacity: { ...extended, ...capacity },
      allocatable: { ...extended, ...allocatable },
    },
  };
}

/** Whether `written` says all that `measured` does; what is empty may be left out. */
function covers(written: unknown, measured: unknown): boolean {
  if (measured === undefined || measured === null || measured === '' || measured === false) {
    return written === undefined || written === null || written === measured;
  }
  if (Array.isArray(measured)) {
    const list = Array.isArray(written) ? written : [];
    return list.length === measured.length && measured.every((item, i) => covers(list[i], item));
  }
  if (typeof measured !== 'object') return written === measured;
  const known = (typeof written === 'object' && written !== null ? written : {}) as Record<string, unknown>;
  return Object.entries(measured).every(([key, value]) => covers(known[key], value));
}

/** Whether the Node at the API says what was measured; when that was is left out. */
function isWritten({ status }: AgentNode, measured: MeasuredNode): boolean {
  const { conditions, ...rest } = measured.status;
  const isGone = (name: string): boolean => name.startsWith(hugePagesPrefix) && !(name in rest.capacity);
  return (
    covers(status, rest) &&
    !Object.keys(status?.capacity ?? {}).some(isGone) &&
    conditions.every((condition) => {
      const known = findCondition(status?.conditions, condition.type);
      return covers(known, { ...condition, lastHeartbeatTime: known?.lastHeartbeatTime });
    })
  );
}

/**
 * A status is written when it changed and when it is due. After a change the next time is put off, or brought forward, by up to half of
 * the time between two, so that many nodes that changed at once do not write at once for ever.
 */
export function planStatusWrite(facts: StatusWriteFacts): StatusWritePlan {
  const { delayMillis, measured, nowMillis, random, reportedMillis, reportMillis, written } = facts;
  const isChanged = !isWritten(written, measured);
  // A clock that was set back must not keep a node from being heard of.
  const isSetBack = reportedMillis !== undefined && nowMillis < reportedMillis;
  const isDue = reportedMillis === undefined || isSetBack || nowMillis >= reportedMillis + reportMillis + delayMillis;
  if (!isChanged && !isDue) return { reason: undefined, delayMillis };
  const nextDelayMillis = isChanged || reportedMillis === undefined ? reportMillis * (random - 0.5) : 0;
  return { reason: isChanged ? 'changed' : 'due', delayMillis: nextDelayMillis };
}

/** Amounts as maps are merged: sizes of huge pages that the node has no more are taken off. */
function mergeAmounts(written: ResourceAmounts | undefined, measured: ResourceAmounts): JsonObject {
  const gone = Object.keys(written ?? {}).filter((name) => name.startsWith(hugePagesPrefix) && !(name in measured));
  return { ...measured, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

/** The strategic merge patch of a Node's `status`: what the agent tells, and nothing of what others do. */
export function planStatusPatch(written: AgentNode, measured: MeasuredNode): JsonObject {
  const { addresses, allocatable, capacity, conditions, ...rest } = measured.status;
  // A condition that is as it was is someone else's: the agent's own say when they were last looked at.
  const own = conditions.filter(
    (condition) => !deepEqual(findCondition(written.status?.conditions, condition.type), condition),
  );
  const status = {
    ...rest,
    conditions: own,
    capacity: mergeAmounts(written.status?.capacity, capacity),
    allocatable: mergeAmounts(written.status?.allocatable, allocatable),
    ...(addresses === undefined ? {} : { addresses: [...addresses, { $patch: 'replace' }] }),
  };
  return { status };
}
