import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import { formatGoValue, nameGoValueType } from './format-go-value.ts';
import { PatchFault } from './patch-fault.ts';

/** Whether a list holds objects (then told apart by their merge key) or scalars. */
export type ItemKind = 'object' | 'scalar';

/** The one kind of the items of some lists. Throws a PatchFault for lists of lists, mixed types, and no items at all. */
export function findItemKind(...lists: readonly JsonValue[][]): ItemKind {
  let type: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const current = nameGoValueType(item);
      if (type === undefined && Array.isArray(item)) throw new PatchFault('failed', 'lists of lists are not supported');
      if (type !== undefined && type !== current) {
        throw new PatchFault('unexpected', `list element types are not identical: ${formatGoValue([...lists])}`);
      }
      type = current;
    }
  }
  if (type === undefined) throw new PatchFault('unexpected', 'no elements in any of the given slices');
  return type === 'map[string]interface {}' ? 'object' : 'scalar';
}

/** What tells an item apart: a text that differs for values that Go holds to be different; `undefined` for objects and lists. */
export function identifyItem(item: JsonValue | undefined, mergeKey: string, kind: ItemKind): string | undefined {
  const value = kind === 'object' ? (isJsonObject(item) ? getOwn(item, mergeKey) : undefined) : item;
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
  return `${nameGoValueType(value)} ${String(value)}`;
}

/** Reads the merge key of an item. Throws a PatchFault when the item is no object, or has none. */
export function requireMergeKey(item: JsonValue | undefined, mergeKey: string): JsonValue {
  const object = requireObject(item);
  const value = getOwn(object, mergeKey);
  if (value === undefined) {
    throw new PatchFault(
      'unexpected',
      `map: ${formatGoValue(object)} does not contain declared merge key: ${mergeKey}`,
    );
  }
  return value;
}

/** Throws a PatchFault for anything but an object. */
export function requireObject(item: JsonValue | undefined): JsonObject {
  if (isJsonObject(item)) return item;
  throw new PatchFault('unexpected', `expected a map[string]interface {}, but received a ${nameGoValueType(item)}`);
}

/** Throws a PatchFault for anything but a list. */
export function requireList(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new PatchFault('unexpected', `expected a []interface {}, but received a ${nameGoValueType(value)}`);
}

/** Where each item of a list stands; the first of equal ones counts. */
export function indexItems(list: readonly JsonValue[], mergeKey: string, kind: ItemKind): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const identity = identifyItem(item, mergeKey, kind);
    if (identity !== undefined && !places.has(identity)) places.set(identity, index);
  }
  return places;
}

/**
 * Orders a merged list: items that are in `patchOrder` in that order, the others in the order they have in `liveOrder`, and both
 * interleaved as they stand in `liveOrder`. Throws a PatchFault for an object without its merge key.
 */
export function orderMergedList(
  merged: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  liveOrder: readonly JsonValue[],
  mergeKey: string,
  kind: ItemKind,
): JsonValue[] {
  if (kind === 'object') {
    for (const list of [merged, patchOrder, liveOrder]) for (const item of list) requireMergeKey(item, mergeKey);
  }
  const patchPlaces = indexItems(patchOrder, mergeKey, kind);
  const livePlaces = indexItems(liveOrder, mergeKey, kind);
  const findPlace = (places: Map<string, number>, item: JsonValue | undefined): number | undefined => {
    const identity = identifyItem(item, mergeKey, kind);
    return identity === undefined ? undefined : places.get(identity);
  };
  const named = merged.filter((item) => findPlace(patchPlaces, item) !== undefined);
  const others = merged.filter((item) => findPlace(patchPlaces, item) === undefined);
  named.sort((left, right) => (findPlace(patchPlaces, left) ?? 0) - (findPlace(patchPlaces, right) ?? 0));
  others.sort((left, right) => (findPlace(livePlaces, left) ?? 0) - (findPlace(livePlaces, right) ?? 0));

  const ordered: JsonValue[] = [];
  let next = 0;
  for (const item of named) {
    const place = findPlace(livePlaces, item);
    for (; next < others.length; next++) {
      const other = others[next] as JsonValue;
      const otherPlace = findPlace(livePlaces, other);
      if (place === undefined || otherPlace === undefined || otherPlace >= place) break;
      ordered.push(other);
    }
    ordered.push(item);
  }
  return [...ordered, ...others.slice(next)];
}
