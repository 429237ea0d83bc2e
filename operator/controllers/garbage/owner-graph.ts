import { deepEqual } from '../../../core/meta/deep.ts';
import type { OwnerReference } from '../../../core/meta/kube-object.ts';
import type { TrackedObject } from './tracked-object.ts';

const nobody: readonly string[] = [];

/** Whether the references of an object keep `ownerUid` from being deleted before it. */
export function blocksOwner(references: readonly OwnerReference[], ownerUid: string): boolean {
  return references.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true);
}

function listBlocked(references: readonly OwnerReference[]): Set<string> {
  return new Set(references.flatMap(({ uid, blockOwnerDeletion }) => (blockOwnerDeletion === true ? [uid] : [])));
}

/** The same text for references that are the same. */
function formatReference({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
}

/**
 * Who owns whom, as far as it matters: objects that have owners, and objects whose deletion waits for their dependents. Each change
 * answers the uids of the objects that may have to be collected, or let go, because of it.
 */
export class OwnerGraph {
  readonly #objects = new Map<string, TrackedObject>();
  /** By the uid of the owner, whether it exists or not. */
  readonly #dependents = new Map<string, Set<string>>();
  /** Owners that were seen to go, as long as somebody still refers to them. */
  readonly #gone = new Set<string>();

  /** `undefined` when the object is not tracked. */
  find(uid: string): TrackedObject | undefined {
    return this.#objects.get(uid);
  }

  /** Whether the object was deleted, though others still refer to it. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  /** The objects that name this one as an owner. */
  listDependents(uid: string): TrackedObject[] {
    return [...(this.#dependents.get(uid) ?? nobody)].flatMap((dependent) => this.#objects.get(dependent) ?? []);
  }

  /** Takes in the newest state of an object; `undefined`: it has nothing that is tracked. */
  put(uid: string, object: TrackedObject | undefined): readonly string[] {
    const previous = this.#objects.get(uid);
    if (previous === undefined && object === undefined) return nobody;
    const before = previous?.owners ?? [];
    const after = object?.owners ?? [];
    if (object === undefined) this.#objects.delete(uid);
    else this.#objects.set(uid, object);
    const looks = new Set<string>();
    if (!deepEqual(before, after)) {
      this.#relink(uid, before, after);
      const blocked = listBlocked(after);
      for (const owner of listBlocked(before)) if (!blocked.has(owner)) this.#addWaiting(owner, looks);
      const known = new Set(before.map(formatReference));
      if (after.some((owner) => !known.has(formatReference(owner)))) looks.add(uid);
    }
    if (object?.awaits !== undefined && object.awaits !== previous?.awaits) {
      looks.add(uid);
      if (object.awaits === 'dependents')
        for (const dependent of this.#dependents.get(uid) ?? nobody) looks.add(dependent);
    }
    return [...looks];
  }

  /** Takes in that an object is gone. */
  remove(uid: string): readonly string[] {
    const previous = this.#objects.get(uid);
    const dependents = this.#dependents.get(uid);
    if (previous === undefined && dependents === undefined) return nobody;
    const looks = new Set<string>(dependents);
    if (dependents !== undefined) this.#gone.add(uid);
    if (previous === undefined) return [...looks];
    this.#objects.delete(uid);
    this.#relink(uid, previous.owners, []);
    for (const owner of previous.owners) this.#addWaiting(owner.uid, looks);
    return [...looks];
  }

  #addWaiting(ownerUid: string, looks: Set<string>): void {
    if (this.#objects.get(ownerUid)?.awaits === 'dependents') looks.add(ownerUid);
  }

  #relink(uid: string, before: readonly OwnerReference[], after: readonly OwnerReference[]): void {
    const kept = new Set(after.map((owner) => owner.uid));
    for (const owner of before) {
      if (kept.has(owner.uid)) continue;
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size !== 0) continue;
      this.#dependents.delete(owner.uid);
      this.#gone.delete(owner.uid);
    }
    for (const owner of after) {
      const dependents = this.#dependents.get(owner.uid);
      if (dependents === undefined) this.#dependents.set(owner.uid, new Set([uid]));
      else dependents.add(uid);
    }
  }
}
