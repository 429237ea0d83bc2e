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

const headMarks = ['{"kind":"', '"apiVersion":"', '"metadata":{'] as const;
const OWNERS_MARK = '"ownerReferences":[';
const DELETION_MARK = '"deletionTimestamp":"';
const noOwners: readonly OwnerReference[] = [];

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

/** Whether the bytes at `from` are these. */
function isAt(value: Buffer, from: number, text: string): boolean {
  return value.toString('latin1', from, from + text.length) === text;
}

/** Where a string ends that begins at `from`, after its opening quote: at its closing one; -1 when it has none. */
function findStringEnd(value: Buffer, from: number): number {
  for (let at = value.indexOf(quote, from); at >= 0; at = value.indexOf(quote, at + 1)) {
    let first = at;
    while (first > from && value[first - 1] === backslash) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
}

/** Where the members of the metadata begin; -1 when kind, apiVersion and metadata do not come first. */
function findMetadata(value: Buffer): number {
  const [kindMark, versionMark, metadataMark] = headMarks;
  if (!isAt(value, 0, kindMark)) return -1;
  const afterKind = findStringEnd(value, kindMark.length) + 2;
  if (afterKind < 2 || !isAt(value, afterKind, versionMark)) return -1;
  const afterVersion = findStringEnd(value, afterKind + versionMark.length) + 2;
  if (afterVersion < 2 || !isAt(value, afterVersion, metadataMark)) return -1;
  return afterVersion + metadataMark.length;
}

/** The uid where only texts come before it in the metadata; `undefined` otherwise. */
function readLeadingUid(value: Buffer): string | undefined {
  let at = findMetadata(value);
  while (at >= 0 && value[at] === quote) {
    const nameEnd = findStringEnd(value, at + 1);
    if (nameEnd < 0 || value[nameEnd + 1] !== colon || value[nameEnd + 2] !== quote) return undefined;
    const end = findStringEnd(value, nameEnd + 3);
    if (end < 0) return undefined;
    if (isAt(value, at, '"uid":')) return value.toString('utf8', nameEnd + 3, end);
    if (value[end + 1] !== comma) return undefined;
    at = end + 2;
  }
  return undefined;
}

/** The uid of a stored object; `undefined` when it has none. It is read without decoding where it is written as the store does. */
export function readStoredUid(value: Buffer): string | undefined {
  return readLeadingUid(value) ?? decodeStored(value).metadata.uid;
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
