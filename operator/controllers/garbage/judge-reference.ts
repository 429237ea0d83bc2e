import type { OwnerReference } from '../../../core/meta/kube-object.ts';
import { parseApiVersion } from '../../../core/meta/resource-name.ts';
import type { KindRegistry, RegisteredKind } from '../../../kinds/registry.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import type { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { makeKey, makeKeyPrefix } from '../../apiserver/pipeline/resource-target.ts';
import type { OwnerState } from './plan-collection.ts';
import { readStoredAwaited, readStoredUid } from './tracked-object.ts';

/** Where owners are looked up. */
export interface OwnerSources {
  readonly store: ObjectStore;
  readonly registry: KindRegistry;
}

/** Where an object is stored, by its key; `undefined` when its kind is not served. */
export interface StoredPlace {
  readonly kind: RegisteredKind;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

function isStored(kind: RegisteredKind): boolean {
  return kind.heldBy === undefined && (kind.verbs === undefined || kind.verbs.includes('get'));
}

/** The kind that a reference means; `undefined` when it is not served in the version that the reference names. */
function findOwnerKind(registry: KindRegistry, { apiVersion, kind }: OwnerReference): RegisteredKind | undefined {
  const parsed = parseApiVersion(apiVersion);
  const found = parsed && registry.findByKind(parsed.group, parsed.version, kind);
  return found !== undefined && isStored(found) ? found : undefined;
}

/** Whether the kind that a reference names is served, be it in other versions only. */
export function isServedInAnyVersion({ registry }: OwnerSources, { apiVersion, kind }: OwnerReference): boolean {
  const group = parseApiVersion(apiVersion)?.group;
  return registry.kinds.some(
    (other) => other.kind === kind && (other.group === group || other.aliasGroup === group) && isStored(other),
  );
}

/** Takes a key of the store apart; `undefined` when the kind of the object is not served. */
export function findStoredPlace(registry: KindRegistry, key: string): StoredPlace | undefined {
  const [, group = '', plural = '', ...rest] = key.split('/');
  const kind = registry.kinds.find(
    (other) => other.plural === plural && (other.group === '' ? 'core' : other.group) === group && isStored(other),
  );
  if (kind === undefined) return undefined;
  return kind.namespaced ? { kind, namespace: rest[0] ?? '', name: rest[1] ?? '' } : { kind, name: rest[0] ?? '' };
}

/**
 * Finds what became of the owner that an object in `namespace` (absent: a cluster-scoped one) refers to. `known` has what was found for
 * the same object before, by where it is and its uid: many references may mean one owner.
 */
export function judgeReference(
  { store, registry }: OwnerSources,
  reference: OwnerReference,
  namespace: string | undefined,
  known: Map<string, OwnerState>,
): OwnerState {
  const kind = findOwnerKind(registry, reference);
  if (kind === undefined) return 'unknown-kind';
  if (kind.namespaced && namespace === undefined) return 'misplaced';
  const key = makeKey(kind, kind.namespaced ? namespace : undefined, reference.name);
  const place = `${key}\n${reference.uid}`;
  const found = known.get(place);
  if (found !== undefined) return found;
  const state = judgeStored(store.get(key)?.value, reference.uid);
  known.set(place, state);
  return state;
}

function judgeStored(value: Buffer | undefined, uid: string): OwnerState {
  if (value === undefined || readStoredUid(value) !== uid) return 'dangling';
  return readStoredAwaited(value) === 'dependents' ? 'waiting' : 'solid';
}

/** Whether the owner that a reference names exists, but in another namespace than the object's (absent: it has none). */
export async function isOwnerElsewhere(
  { store, registry }: OwnerSources,
  reference: OwnerReference,
  namespaces: readonly string[],
  slices: EventLoopYield,
): Promise<boolean> {
  const kind = findOwnerKind(registry, reference);
  if (kind?.namespaced !== true) return false;
  for (const namespace of namespaces) {
    if (slices.isDue()) await slices.pause();
    const stored = store.get(makeKey(kind, namespace, reference.name));
    if (stored !== undefined && readStoredUid(stored.value) === reference.uid) return true;
  }
  return false;
}

/** Names of the namespaces that exist. */
export async function listNamespaces({ store, registry }: OwnerSources): Promise<string[]> {
  const kind = registry.find('', 'v1', 'namespaces');
  if (kind === undefined) return [];
  const prefix = makeKeyPrefix(kind);
  const { items } = await store.list(prefix, { isReadOnce: true });
  return items.map(({ key }) => key.slice(prefix.length));
}
