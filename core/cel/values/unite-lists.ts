import type { StructuralSchema } from '../../schema/structural-schema.ts';
import { ArrayList, toItems } from './array-list.ts';
import { CelDouble, type CelList, type CelValue } from './cel-value.ts';
import { JsonList, JsonMap } from './json-value.ts';

/** What of an item can be looked up at once; `undefined`: nothing, it must be compared. */
function toScalarKey(value: CelValue): string | number | boolean | undefined {
  if (typeof value === 'string') return `s${value}`;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Finds the item of a list that is the same as a given one. */
type FindItem = (item: CelValue) => CelValue | undefined;

/** How items of `list` are found that are the same as those of another, as the type of `like` has it: by its keys, or by value. */
export function indexItems(like: JsonList, list: CelList, isEqual: (a: CelValue, b: CelValue) => boolean): FindItem {
  const items = toItems(list);
  if (like.listType === 'map') {
    const byKey = new Map(items.map((item) => [like.readKey(item), item]));
    return (item) => byKey.get(like.readKey(item));
  }
  const scalars = new Map(items.map((item) => [toScalarKey(item), item]));
  scalars.delete(undefined);
  return (item) => {
    const key = toScalarKey(item);
    const found = key === undefined ? undefined : scalars.get(key);
    return (
      found ??
      (scalars.size === items.length && key !== undefined ? undefined : items.find((other) => isEqual(item, other)))
    );
  };
}

/**
 * The sum of a list of type `set` or `map` and another: what both have keeps its place, in a `map` with the value of the second; what only
 * the second has follows, once. It is of the same type as the first, unless an item of the second can be no item of that.
 */
export function uniteLists(first: JsonList, second: CelList, isEqual: (a: CelValue, b: CelValue) => boolean): CelList {
  const items = first.listType === 'map' ? uniteByKey(first, second) : uniteByValue(first, second, isEqual);
  const json = items.map((item) => unwrapItem(item, first.schema?.items));
  return json.includes(undefined) ? new ArrayList(items) : new JsonList(json, first.schema);
}

/** The JSON that yields this value when it is read as an item again; `undefined`: there is none. */
function unwrapItem(item: CelValue, schema: StructuralSchema | undefined): unknown {
  if (item instanceof JsonMap || item instanceof JsonList) return item.json;
  if (item instanceof CelDouble) {
    return schema?.type === 'number' || !Number.isInteger(item.value) ? item.value : undefined;
  }
  return typeof item === 'object' && item !== null ? undefined : item;
}

function uniteByKey(first: JsonList, second: CelList): CelValue[] {
  const items = [...toItems(first)];
  const places = new Map(items.map((item, place) => [first.readKey(item), place]));
  for (const item of toItems(second)) {
    const key = first.readKey(item);
    const place = places.get(key);
    if (place === undefined) places.set(key, items.push(item) - 1);
    else items[place] = item;
  }
  return items;
}

function uniteByValue(first: JsonList, second: CelList, isEqual: (a: CelValue, b: CelValue) => boolean): CelValue[] {
  const items = [...toItems(first)];
  const scalars = new Set(items.map(toScalarKey));
  for (const item of toItems(second)) {
    const key = toScalarKey(item);
    if (key !== undefined && scalars.has(key)) continue;
    // Only what has no key, such as a double, may be the same as an item with another key.
    const mayBeKnown = typeof item !== 'string' && (key === undefined || scalars.has(undefined));
    if (mayBeKnown && items.some((other) => isEqual(item, other))) continue;
    items.push(item);
    scalars.add(key);
  }
  return items;
}
