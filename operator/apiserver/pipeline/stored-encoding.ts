import { encodeJson } from '../../../core/decode/encode-json.ts';
import { parseJson } from '../../../core/decode/parse-json.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject, ObjectMeta } from '../../../core/meta/kube-object.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { findConverted, isConvertedByWebhook, rememberConverted } from './converted-values.ts';
import type { ResourceTarget } from './resource-target.ts';
import { getStoredApiVersion, isAsStoredNow, toStoredVersion } from './stored-version.ts';

/** An API object with its further fields readable. */
export type AnyObject = KubeObject & JsonObject;

/** Metadata fields in the order in which Kubernetes writes them. */
const META_FIELDS = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const satisfies readonly (keyof ObjectMeta)[];

/** Integers that JSON.parse may round; a match inside a string only costs the slower parser. */
const LONG_DIGITS = /\d{16}/;

function orderMetadata(metadata: ObjectMeta, resourceVersion: string | undefined): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  for (const field of META_FIELDS) {
    const value = field === 'resourceVersion' ? resourceVersion : metadata[field];
    if (value !== undefined) ordered[field] = value;
  }
  return ordered;
}

function makeHead(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

const headCache = new WeakMap<RegisteredKind, Buffer>();

/** The bytes with which every stored object of the kind begins; a list item is what follows them, after a brace. */
function getStoredHead(kind: RegisteredKind): Buffer {
  let head = headCache.get(kind);
  if (head === undefined) {
    head = Buffer.from(makeHead(kind.kind, kind.apiVersion));
    headCache.set(kind, head);
  }
  return head;
}

/** Encodes an object with kind, apiVersion and metadata first, whatever its other members; `resourceVersion` replaces its own, `undefined` leaves it out. */
export function encodeObject(
  object: AnyObject,
  kind: string,
  apiVersion: string,
  resourceVersion: string | undefined,
): Buffer {
  const metadata = encodeJson(orderMetadata(object.metadata, resourceVersion));
  // Written by itself: members of an object that are named like integers come before all others.
  const rest = encodeJson({ ...object, kind: undefined, apiVersion: undefined, metadata: undefined });
  const tail = rest === '{}' ? rest.slice(1) : `,${rest.slice(1)}`;
  return Buffer.from(`${makeHead(kind, apiVersion)}"metadata":${metadata}${tail}`);
}

/**
 * Encodes an object for the store at a revision, as the version that the kind is stored as, under its own group; `converted` is the object
 * in that version where a webhook converts it.
 */
export function encodeStored(object: AnyObject, kind: RegisteredKind, revision: number, converted?: AnyObject): Buffer {
  const apiVersion = getStoredApiVersion(kind);
  const bytes = encodeObject(converted ?? toStoredVersion(object, kind), kind.kind, apiVersion, String(revision));
  if (converted !== undefined) {
    rememberConverted(kind, bytes, encodeObject(object, kind.kind, kind.apiVersion, String(revision)));
  } else if (kind.conversion !== undefined && apiVersion === kind.apiVersion) rememberShown(kind, bytes);
  return bytes;
}

/** Encodes what is stored, and was read as `shown`, once more at a later revision. */
export function encodeAgain(value: Buffer, shown: AnyObject, kind: RegisteredKind, revision: number): Buffer {
  if (!isConvertedByWebhook(kind)) return encodeStored(shown, kind, revision);
  const object = decodeStored(value);
  const bytes = encodeObject(object, kind.kind, object.apiVersion ?? kind.apiVersion, String(revision));
  const converted = findConverted(kind, value);
  if (converted !== undefined) {
    rememberConverted(kind, bytes, encodeObject(decodeStored(converted), kind.kind, kind.apiVersion, String(revision)));
  }
  return bytes;
}

/** Parses what `encodeStored` wrote, in the version that it was written as; integers beyond ±2^53 stay exact. */
export function decodeStored(value: Buffer): AnyObject {
  const text = value.toString('utf8');
  if (!LONG_DIGITS.test(text)) return JSON.parse(text) as AnyObject;
  const parsed = parseJson(value);
  if ('fault' in parsed) throw new Error(`a stored object cannot be read: ${parsed.fault}`);
  return parsed.value as AnyObject;
}

/** Parses a stored object as it looks in the kind's version, by the schema that the kind has now. */
export function decodeAs(kind: RegisteredKind, value: Buffer): AnyObject {
  const converted = findConverted(kind, value);
  if (converted !== undefined) return decodeStored(converted);
  const object = decodeStored(value);
  if (object.apiVersion !== kind.apiVersion && isConvertedByWebhook(kind)) {
    throw new Error(`an object of ${kind.apiVersion} is read before it is converted`);
  }
  kind.conversion?.fromStored(object);
  return object;
}

/** Whether an object would be stored again as it is stored: as the same version, without fields that its schema no longer has. */
export function isStoredAsNow(value: Buffer, kind: RegisteredKind): boolean {
  return kind.conversion === undefined || isAsStoredNow(decodeStored(value), kind);
}

/** Renames the group of an object and of the records of its managers, in place. */
export function renameGroup(object: AnyObject, from: string, to: string): void {
  if (object.apiVersion === from) object.apiVersion = to;
  for (const entry of object.metadata.managedFields ?? []) if (entry.apiVersion === from) entry.apiVersion = to;
}

/** Parses a stored object as it looks under the group that the request names. */
export function decodeStoredFor(target: ResourceTarget, value: Buffer): AnyObject {
  const object = decodeAs(target.kind, value);
  if (target.isAlias) renameGroup(object, target.kind.apiVersion, target.apiVersion);
  return object;
}

/** Stored bytes that are what a version of a defined kind shows, by the strategy of its kind, which changes with its schema. */
const shownAsStored = new WeakMap<object, WeakSet<Buffer>>();

function rememberShown({ strategy }: RegisteredKind, value: Buffer): void {
  let known = shownAsStored.get(strategy);
  if (known === undefined) shownAsStored.set(strategy, (known = new WeakSet()));
  known.add(value);
}

/** The bytes of a stored object as the request's group and version show it; the stored bytes themselves where these are the same. */
export function encodeFor(target: ResourceTarget, value: Buffer): Buffer {
  const { kind } = target;
  if (!target.isAlias && (kind.conversion === undefined || shownAsStored.get(kind.strategy)?.has(value) === true)) {
    return value;
  }
  const object = decodeStoredFor(target, value);
  const bytes = encodeObject(object, kind.kind, target.apiVersion, object.metadata.resourceVersion);
  if (kind.conversion === undefined || !bytes.equals(value)) return bytes;
  rememberShown(kind, value);
  return value;
}

/** The bytes of a list item, which carries neither kind nor apiVersion, as in Kubernetes; `from` is where its members begin. */
export function sliceListItem(target: ResourceTarget, value: Buffer): { bytes: Buffer; from: number } {
  const bytes = encodeFor(target, value);
  if (!target.isAlias) return { bytes, from: getStoredHead(target.kind).length };
  return { bytes, from: Buffer.byteLength(makeHead(target.kind.kind, target.apiVersion)) };
}
