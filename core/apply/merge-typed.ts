import { getOwn, setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import type { PathElement } from './path-element.ts';
import {
  anySchema,
  asList,
  asMap,
  findItemElement,
  findItemSchema,
  findMemberSchema,
  findShape,
  isAtomicList,
  isAtomicMap,
  type Shape,
} from './typed-schema.ts';

type Side = JsonValue | undefined;

/**
 * Lays `applied` over `live`: leaves and atomic values of `applied` win, nothing is removed, items of keyed lists and sets
 * are merged one by one. The result shares parts with both inputs; it is `undefined` when nothing is left.
 */
export function mergeTyped(live: Side, applied: Side, schema: StructuralSchema): JsonValue | undefined {
  if (applied === undefined || live === applied) return live;
  if (live === undefined) return applied;
  return mergeAs(findShape(schema, applied), live, applied, schema);
}

function mergeAs(shape: Shape, live: Side, applied: Side, schema: StructuralSchema): Side {
  if (shape === 'scalar') return applied;
  if (shape === 'list') {
    const left = asList(live) ?? [];
    const right = asList(applied) ?? [];
    if ((left.length === 0 && right.length === 0) || isAtomicList(schema)) return applied;
    return mergeLists(left, right, schema);
  }
  const left = asMap(live) ?? {};
  const right = asMap(applied) ?? {};
  const leftKeys = Object.keys(left);
  const rightKeys = Object.keys(right);
  if ((leftKeys.length === 0 && rightKeys.length === 0) || isAtomicMap(schema)) return applied;
  const merged: JsonObject = {};
  for (const key of leftKeys) {
    const value = mergeTyped(left[key], getOwn(right, key), findMemberSchema(schema, key) ?? anySchema);
    if (value !== undefined) setOwn(merged, key, value);
  }
  for (const key of rightKeys) {
    if (getOwn(left, key) === undefined && right[key] !== undefined) setOwn(merged, key, right[key]);
  }
  return merged;
}

interface IndexedList {
  readonly elements: readonly PathElement[];
  readonly items: readonly JsonValue[];
  /** The item of each element; null for one that occurs twice, since it is not clear which of them is meant. */
  readonly byElement: ReadonlyMap<PathElement, JsonValue>;
}

/**
 * Items in common keep the order of the applied list; an item that only the live list has stays behind the item in common
 * that it followed.
 */
function mergeLists(live: readonly JsonValue[], applied: readonly JsonValue[], schema: StructuralSchema): JsonValue[] {
  const left = indexList(live, schema);
  const right = indexList(applied, schema);
  const shared = right.elements.filter((element) => left.byElement.has(element));
  const taken = new Set<PathElement>();
  const merged: JsonValue[] = [];
  let nextShared = 0;
  let l = 0;
  let r = 0;

  const takeApplied = (element: PathElement): void => {
    taken.add(element);
    const item = mergeTyped(left.byElement.get(element), right.byElement.get(element), findItemSchema(schema));
    if (item !== undefined) merged.push(item);
    if (shared[nextShared] === element) nextShared++;
    r++;
  };

  while (l < left.elements.length || r < right.elements.length) {
    const leftElement = left.elements[l];
    const rightElement = right.elements[r];
    if (leftElement !== undefined && leftElement === rightElement) {
      takeApplied(leftElement);
      l++;
      continue;
    }
    if (leftElement !== undefined) {
      const isShared = right.byElement.has(leftElement);
      const isAwaited = nextShared < shared.length && shared[nextShared] === leftElement;
      if (isShared && rightElement !== undefined && nextShared < shared.length && !isAwaited) {
        l++;
        continue;
      }
      if (!isShared) {
        merged.push(left.items[l]!);
        l++;
        continue;
      }
      if (taken.has(leftElement)) l++;
    }
    if (rightElement !== undefined) takeApplied(rightElement);
  }
  return merged;
}

function indexList(list: readonly JsonValue[], schema: StructuralSchema): IndexedList {
  const elements: PathElement[] = [];
  const items: JsonValue[] = [];
  const byElement = new Map<PathElement, JsonValue>();
  for (const item of list) {
    const element = findItemElement(schema, item);
    if (typeof element !== 'string') continue;
    elements.push(element);
    items.push(item);
    byElement.set(element, byElement.has(element) ? null : item);
  }
  return { elements, items, byElement };
}
