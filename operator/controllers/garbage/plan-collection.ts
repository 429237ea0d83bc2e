import type { ObjectMeta, OwnerReference } from '../../../core/meta/kube-object.ts';
import { blocksOwner } from './owner-graph.ts';
import { findAwaited, foregroundFinalizer, orphanFinalizer, type TrackedObject } from './tracked-object.ts';

/** What became of the owner that a reference names. */
export type OwnerState =
  /** It exists, and its deletion does not wait for dependents. */
  | 'solid'
  /** There is no such object with this uid. */
  | 'dangling'
  /** Its deletion waits until its dependents are deleted. */
  | 'waiting'
  /** Its kind is not served in the version that is named, so that nobody can tell. */
  | 'unknown-kind'
  /** An object without a namespace refers to a kind that has them: nothing can be meant by it. */
  | 'misplaced';

/** A reference, and what became of the owner. */
export interface JudgedReference {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

/** An object as it is now, and who is around it. */
export interface CollectionFacts {
  readonly metadata: ObjectMeta;
  /** All of its owners; not looked at when the object is being deleted. */
  readonly references: readonly JudgedReference[];
  readonly dependents: readonly TrackedObject[];
}

/** What to do with an object that may be garbage. */
export type CollectionPlan =
  | { readonly action: 'keep' }
  /** Nothing can be said before the kinds that are served change. */
  | { readonly action: 'await-kinds' }
  /** Some owners are left: the references to the others are taken off. */
  | { readonly action: 'set-owners'; readonly owners: readonly OwnerReference[] }
  /** `unblocked`: the owners to write first, so that a circle of owners does not wait for itself. */
  | {
      readonly action: 'delete';
      readonly propagationPolicy: 'Background' | 'Foreground' | 'Orphan';
      readonly unblocked?: readonly OwnerReference[];
    }
  /** The references of these dependents to the object are taken off; then it is looked at again. */
  | { readonly action: 'orphan'; readonly dependents: readonly TrackedObject[] }
  /** Nothing is left to wait for: these are the finalizers that remain. */
  | { readonly action: 'release'; readonly finalizers: readonly string[] };

function planRelease(metadata: ObjectMeta, finalizer: string): CollectionPlan {
  return { action: 'release', finalizers: (metadata.finalizers ?? []).filter((name) => name !== finalizer) };
}

function planDeleted({ metadata, dependents }: CollectionFacts): CollectionPlan {
  const awaited = findAwaited(metadata);
  if (awaited === undefined) return { action: 'keep' };
  if (awaited === 'orphans') {
    return dependents.length === 0 ? planRelease(metadata, orphanFinalizer) : { action: 'orphan', dependents };
  }
  // Each dependent is looked at by itself when its owner begins to wait.
  const isBlocked = dependents.some(({ owners }) => blocksOwner(owners, metadata.uid ?? ''));
  return isBlocked ? { action: 'keep' } : planRelease(metadata, foregroundFinalizer);
}

function choosePolicy(finalizers: readonly string[]): 'Background' | 'Foreground' | 'Orphan' {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

/** Decides what becomes of an object whose owners, dependents or own deletion have changed. */
export function planCollection(facts: CollectionFacts): CollectionPlan {
  const { metadata, references, dependents } = facts;
  if (metadata.deletionTimestamp !== undefined) return planDeleted(facts);
  if (references.length === 0) return { action: 'keep' };
  const has = (state: OwnerState): boolean => references.some((judged) => judged.state === state);
  if (has('misplaced')) return { action: 'keep' };
  if (has('unknown-kind')) return { action: 'await-kinds' };
  if (has('solid')) {
    if (!has('dangling') && !has('waiting')) return { action: 'keep' };
    const solid = references.filter(({ state }) => state === 'solid');
    return { action: 'set-owners', owners: solid.map(({ reference }) => reference) };
  }
  if (has('waiting') && dependents.length > 0) {
    const mayCircle = dependents.some(({ awaits }) => awaits === 'dependents');
    if (!mayCircle) return { action: 'delete', propagationPolicy: 'Foreground' };
    const unblocked = references.map(({ reference }) => ({ ...reference, blockOwnerDeletion: false }));
    return { action: 'delete', propagationPolicy: 'Foreground', unblocked };
  }
  return { action: 'delete', propagationPolicy: choosePolicy(metadata.finalizers ?? []) };
}
