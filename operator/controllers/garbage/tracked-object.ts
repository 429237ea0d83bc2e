import type { KubeObject, OwnerReference } from '../../../core/meta/kube-object.ts';
import { decodeStored } from '../../apiserver/pipeline/stored-encoding.ts';

/** The finalizer that asks for the dependents to be left without the owner. */
export const orphanFinalizer = 'orphan';
/** The finalizer that asks for the dependents to be deleted before the owner. */
export const foregroundFinalizer = 'foregroundDeletion';

/** What a deletion of an object waits for: that its dependents are let go, or that they are deleted. */
export type Awaited = 'orphans' | 'dependents';

/** An object that has owners, or whose deletion waits for its dependents. */
export interface TrackedObject {
  readonly uid: string;
  /** Its key in the store. */
  readonly key: string;
  readonly owners: readonly OwnerReference[];
  /** Absent when its deletion waits for no dependents, or it is not being deleted. */
  readonly awaits?: Awaited;
}

const UID_MARK = '"uid":"';
const OWNERS_MARK = '"ownerReferences":[';
const DELETION_MARK = '"deletionTimestamp":"';
const noOwners: readonly OwnerReference[] = [];

/** The uid of a stored object; `undefined` when it has none. Its metadata comes first, and the uid before what others write into it. */
export function readStoredUid(value: Buffer): string | undefined {
  const mark = value.indexOf(UID_MARK, 0, 'latin1');
  if (mark < 0) return undefined;
  const start = mark + UID_MARK.length;
  const end = value.indexOf('"', start, 'latin1');
  return end < 0 ? undefined : value.toString('utf8', start, end);
}

/** What the deletion of an object waits for; `undefined` when it is not being deleted, or waits for something else. */
export function findAwaited(metadata: KubeObject['metadata']): Awaited | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  if (metadata.finalizers?.includes(orphanFinalizer) === true) return 'orphans';
  return metadata.finalizers?.includes(foregroundFinalizer) === true ? 'dependents' : undefined;
}

/** What a stored object waits for, decoded only where it is being deleted. */
export function readStoredAwaited(value: Buffer): Awaited | undefined {
  return value.includes(DELETION_MARK, 0, 'latin1') ? findAwaited(decodeStored(value).metadata) : undefined;
}

/** What there is to track of a stored object; `undefined`: nothing. Most objects have none of it, and are not decoded. */
export function readTrackedObject(uid: string, key: string, value: Buffer): TrackedObject | undefined {
  if (!value.includes(OWNERS_MARK, 0, 'latin1') && !value.includes(DELETION_MARK, 0, 'latin1')) return undefined;
  const { metadata } = decodeStored(value);
  const owners = metadata.ownerReferences ?? noOwners;
  const awaits = findAwaited(metadata);
  if (owners.length === 0 && awaits === undefined) return undefined;
  return awaits === undefined ? { uid, key, owners } : { uid, key, owners, awaits };
}
