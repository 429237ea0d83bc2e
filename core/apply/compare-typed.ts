import { deepEqual } from '../meta/deep.ts';
import { getOwn, type JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import {
  insertPath,
  makeFieldSetBuilder,
  subtractFieldSetDeep,
  type FieldSet,
  type FieldSetBuilder,
} from './field-set.ts';
import { makeFieldElement, type PathElement } from './path-element.ts';
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

/** What a write changed; no path is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
  /** Whether a list has items without a key, which cannot be compared. */
  readonly hasUnkeyedItems: boolean;
}

interface Walk {
  hasUnkeyedItems: boolean;
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
  readonly path: PathElement[];
}

type Side = JsonValue | undefined;

/** Compares two objects leaf by leaf and item by item; `before` and `after` conform to `schema`. */
export function compareTyped(before: JsonValue, after: JsonValue, schema: StructuralSchema): Comparison {
  const walk: Walk = {
    added: makeFieldSetBuilder(),
    modified: makeFieldSetBuilder(),
    removed: makeFieldSetBuilder(),
    path: [],
    hasUnkeyedItems: false,
  };
  compare(before, after, schema, walk);
  return walk;
}

/** The comparison without the paths of `fields` and all that lies below them. */
export function excludeFields(comparison: Comparison, fields: FieldSet | undefined): Comparison {
  if (fields === undefined) return comparison;
  return {
    added: subtractFieldSetDeep(comparison.added, fields),
    modified: subtractFieldSetDeep(comparison.modified, fields),
    removed: subtractFieldSetDeep(comparison.removed, fields),
    hasUnkeyedItems: comparison.hasUnkeyedItems,
  };
}

function compare(before: Side, after: Side, schema: StructuralSchema, walk: Walk): void {
  if (before === after) return;
  let isLeaf: boolean;
  if (after === undefined) {
    isLeaf = compareAs(findShape(schema, before), before, after, schema, walk);
  } else {
    const shape = findShape(schema, after);
    // A value that changes its shape is compared both ways: what it was goes, what it is now comes.
    const former = before === undefined ? shape : findShape(schema, before);
    if (former !== shape) compareAs(former, before, after, schema, walk);
    isLeaf = compareAs(shape, before, after, schema, walk);
  }
  if (isLeaf) return;
  if (before === undefined) insertPath(walk.added, walk.path);
  else if (after === undefined) insertPath(walk.removed, walk.path);
}

/** Whether the value was compared as a whole. */
function compareAs(shape: Shape, before: Side, after: Side, schema: StructuralSchema, walk: Walk): boolean {
  if (shape === 'scalar') return compareLeaf(before, after, walk);
  if (shape === 'list') {
    const left = asList(before) ?? [];
    const right = asList(after) ?? [];
    // Two empty sides are a leaf, so that null and empty stay apart.
    if ((left.length === 0 && right.length === 0) || isAtomicList(schema)) return compareLeaf(before, after, walk);
    compareItems(left, right, schema, walk);
    return false;
  }
  const left = asMap(before) ?? {};
  const right = asMap(after) ?? {};
  const leftKeys = Object.keys(left);
  const rightKeys = Object.keys(right);
  if ((leftKeys.length === 0 && rightKeys.length === 0) || isAtomicMap(schema)) return compareLeaf(before, after, walk);
  for (const key of leftKeys) compareMember(key, left[key], getOwn(right, key), schema, walk);
  for (const key of rightKeys) {
    if (getOwn(left, key) === undefined) compareMember(key, undefined, right[key], schema, walk);
  }
  return false;
}

function compareLeaf(before: Side, after: Side, walk: Walk): true {
  if (before === undefined) insertPath(walk.added, walk.path);
  else if (after === undefined) insertPath(walk.removed, walk.path);
  else if (!deepEqual(before, after)) insertPath(walk.modified, walk.path);
  return true;
}

function compareMember(key: string, before: Side, after: Side, schema: StructuralSchema, walk: Walk): void {
  if (before === after) return;
  walk.path.push(makeFieldElement(key));
  compare(before, after, findMemberSchema(schema, key) ?? anySchema, walk);
  walk.path.pop();
}

function compareItems(before: JsonValue[], after: JsonValue[], schema: StructuralSchema, walk: Walk): void {
  const left = groupItems(before, schema, walk);
  const right = groupItems(after, schema, walk);
  for (const [element, items] of left) compareItem(element, items, right.get(element) ?? [], schema, walk);
  for (const [element, items] of right) {
    if (!left.has(element)) compareItem(element, [], items, schema, walk);
  }
}

/** Repeated items are owned as one leaf; a single item and its repetition never compare with each other. */
function compareItem(
  element: PathElement,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  schema: StructuralSchema,
  walk: Walk,
): void {
  walk.path.push(element);
  const items = findItemSchema(schema);
  if (before.length <= 1 && after.length <= 1) {
    compare(before[0], after[0], items, walk);
  } else if (before.length >= 2 && after.length >= 2) {
    if (!deepEqual(before, after)) insertPath(walk.modified, walk.path);
  } else if (before.length >= 2) {
    if (after.length > 0) compare(undefined, after[0], items, walk);
    insertPath(walk.removed, walk.path);
  } else {
    if (before.length > 0) compare(before[0], undefined, items, walk);
    insertPath(walk.added, walk.path);
  }
  walk.path.pop();
}

function groupItems(list: readonly JsonValue[], schema: StructuralSchema, walk: Walk): Map<PathElement, JsonValue[]> {
  const groups = new Map<PathElement, JsonValue[]>();
  for (const item of list) {
    const element = findItemElement(schema, item);
    if (typeof element !== 'string') {
      walk.hasUnkeyedItems = true;
      continue;
    }
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}
