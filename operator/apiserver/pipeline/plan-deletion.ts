import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatTime, parseTime } from '../../../core/time/time.ts';
import type { KindStrategy } from '../../../kinds/kind-definition.ts';
import type { DeleteOptions } from '../../../platform/resources/resource-client.ts';
import type { DeletionHold } from '../subresource-handler.ts';
import type { AnyObject } from './stored-encoding.ts';

/** What a deletion does to an object. */
export type DeletionPlan =
  /** It is being deleted already, and the request changes nothing. */
  | { readonly action: 'keep' }
  /** It is marked, and stays until its finalizers, its grace period or its hold end. */
  | { readonly action: 'mark'; readonly object: AnyObject }
  /** It is marked as at the end of its grace period, which watchers see, and then removed. */
  | { readonly action: 'mark-and-remove'; readonly object: AnyObject }
  | { readonly action: 'remove' };

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** The finalizers after the client's choice of what becomes of dependents, or an earlier one, or the kind's own. */
function chooseFinalizers(
  current: readonly string[],
  options: DeleteOptions,
  { dependentsByDefault }: KindStrategy<KubeObject>,
): string[] {
  const earlier = current.find((name) => name === ORPHAN || name === FOREGROUND);
  let orphans = earlier === ORPHAN || (earlier === undefined && dependentsByDefault === 'orphan');
  let isForeground = earlier === FOREGROUND;
  if (dependentsByDefault === 'ignore') {
    orphans = false;
    isForeground = false;
  } else if (options.orphanDependents !== undefined) {
    orphans = options.orphanDependents;
    isForeground = false;
  } else if (options.propagationPolicy !== undefined) {
    orphans = options.propagationPolicy === 'Orphan';
    isForeground = options.propagationPolicy === 'Foreground';
  }
  const kept = current.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  return [...kept, ...(orphans ? [ORPHAN] : []), ...(isForeground ? [FOREGROUND] : [])];
}

function setFinalizers(object: AnyObject, options: DeleteOptions, strategy: KindStrategy<KubeObject>): boolean {
  const current = object.metadata.finalizers ?? [];
  const chosen = chooseFinalizers(current, options, strategy);
  const changed = chosen.length !== current.length || chosen.some((name) => !current.includes(name));
  if (changed) {
    if (chosen.length === 0) delete object.metadata.finalizers;
    else object.metadata.finalizers = chosen;
  }
  return chosen.length > 0;
}

function raiseGeneration(object: AnyObject): void {
  if ((object.metadata.generation ?? 0) > 0) object.metadata.generation = (object.metadata.generation ?? 0) + 1;
}

/**
 * The options of a deletion as they count for an object: with the grace period that it gets where the client's does not count. `undefined`: it
 * is being deleted already, and these options change nothing about that.
 */
export function settleOptions(
  object: KubeObject,
  options: DeleteOptions,
  strategy: KindStrategy<KubeObject>,
): DeleteOptions | undefined {
  const { gracePeriodSeconds: given } = options;
  const requested = given !== undefined && given < 0 ? 1 : given;
  const settled = requested === given ? options : { ...options, gracePeriodSeconds: requested as number };
  if (strategy.defaultGracePeriodSeconds === undefined) return settled;
  const { deletionTimestamp, deletionGracePeriodSeconds: running = 0 } = object.metadata;
  if (deletionTimestamp === undefined) {
    const usual = strategy.defaultGracePeriodSeconds(object);
    // A usual period of none means that nothing runs that could use one, whatever the client asks for.
    return { ...settled, gracePeriodSeconds: usual === 0 ? 0 : (requested ?? usual) };
  }
  const isPending = running !== 0 && (requested === undefined || requested >= running);
  return isPending ? undefined : settled;
}

/** Whether a grace period begins or is shortened by this deletion, changing `object`; `pending`: it just goes on. */
function applyGrace(
  object: AnyObject,
  options: DeleteOptions,
  strategy: KindStrategy<KubeObject>,
  nowMillis: number,
): 'none' | 'graceful' | 'pending' {
  const { metadata } = object;
  if (strategy.defaultGracePeriodSeconds === undefined) return 'none';
  const settled = settleOptions(object, options, strategy);
  if (settled === undefined) return 'pending';
  const { gracePeriodSeconds: period = 0 } = settled;
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = formatTime(nowMillis + period * 1000);
    metadata.deletionGracePeriodSeconds = period;
    raiseGeneration(object);
    return 'graceful';
  }
  const running = metadata.deletionGracePeriodSeconds ?? 0;
  if (running === 0) return 'none';
  const startMillis = (parseTime(metadata.deletionTimestamp) ?? nowMillis) - running * 1000;
  const endMillis = startMillis + period * 1000;
  metadata.deletionTimestamp = formatTime(Math.max(endMillis, nowMillis));
  metadata.deletionGracePeriodSeconds = endMillis < nowMillis && period !== 0 ? 1 : period;
  return 'graceful';
}

/** What a deletion depends on besides the object and the request. */
export interface DeletionFacts {
  readonly strategy: KindStrategy<KubeObject>;
  readonly hold: DeletionHold | undefined;
  /** Whether somebody collects dependents, and takes off the finalizers that ask for it; else no deletion adds them. */
  readonly collectsGarbage: boolean;
  readonly nowMillis: number;
}

/** Decides what a deletion does. `object` is a copy of the live one that may be changed. */
export function planDeletion(object: AnyObject, options: DeleteOptions, facts: DeletionFacts): DeletionPlan {
  const { metadata } = object;
  const { strategy, hold, nowMillis } = facts;
  const grace = applyGrace(object, options, strategy, nowMillis);
  if (grace === 'pending') return { action: 'keep' };
  const isHeld = hold?.isHeld(object) === true;
  // What is held besides its finalizers is only marked at first, whatever the client wants of its dependents.
  const isMarkedOnly = isHeld && metadata.deletionTimestamp === undefined;
  const isFinalized =
    facts.collectsGarbage && !isMarkedOnly
      ? setFinalizers(object, options, strategy)
      : (object.metadata.finalizers ?? []).length > 0;
  if (grace === 'graceful') {
    const waits = isFinalized || isHeld || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
    return { action: waits ? 'mark' : 'mark-and-remove', object };
  }
  if (!isFinalized && !isHeld) return { action: 'remove' };
  if (metadata.deletionTimestamp === undefined && !isMarkedOnly) raiseGeneration(object);
  const marked = metadata.deletionTimestamp === undefined ? undefined : parseTime(metadata.deletionTimestamp);
  if (marked === undefined || marked > nowMillis) metadata.deletionTimestamp = formatTime(nowMillis);
  if (hold === undefined) metadata.deletionGracePeriodSeconds = 0;
  else hold.mark(object);
  return { action: 'mark', object };
}
