import { setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { isEmptyFieldSet, type FieldSet } from './field-set.ts';
import { isKeyElement, makeFieldElement, readFieldName, type PathElement } from './path-element.ts';
import {
  anySchema,
  findItemElement,
  findItemSchema,
  findMemberSchema,
  findShape,
  isAtomicList,
  isAtomicMap,
  isNamedField,
} from './typed-schema.ts';

/**
 * `value` without the members and items that `paths` names. A list or map of which nothing is left, or which is atomic,
 * becomes null. Shares parts with `value`.
 */
export function removeItems(value: JsonValue, paths: FieldSet, schema: StructuralSchema): JsonValue {
  const shape = findShape(schema, value);
  if (shape === 'scalar') return value;
  if (shape === 'list') return Array.isArray(value) ? removeFromList(value, paths, schema) : null;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isAtomicMap(schema)) return null;
  const kept: JsonObject = {};
  let isEmpty = true;
  for (const key of Object.keys(value)) {
    const member = value[key];
    const element = makeFieldElement(key);
    if (member === undefined || paths.members.has(element)) continue;
    setOwn(kept, key, removeBelow(member, element, paths, findMemberSchema(schema, key) ?? anySchema));
    isEmpty = false;
  }
  return isEmpty ? null : kept;
}

function removeFromList(list: JsonValue[], paths: FieldSet, schema: StructuralSchema): JsonValue {
  if (isAtomicList(schema)) return null;
  const kept: JsonValue[] = [];
  for (const item of list) {
    const element = findItemElement(schema, item);
    if (typeof element !== 'string') {
      kept.push(item);
    } else if (!paths.members.has(element)) {
      kept.push(removeBelow(item, element, paths, findItemSchema(schema)));
    }
  }
  return kept.length === 0 ? null : kept;
}

function removeBelow(value: JsonValue, element: PathElement, paths: FieldSet, schema: StructuralSchema): JsonValue {
  const below = paths.children.get(element);
  return below === undefined || isEmptyFieldSet(below) ? value : removeItems(value, below, schema);
}

/** `set` with every named field that leads to one of its paths as a path of its own. */
export function addNamedParents(set: FieldSet, schema: StructuralSchema): FieldSet {
  if (set.children.size === 0) return set;
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const name = readFieldName(element);
    if (name !== undefined && isNamedField(schema, name)) members.add(element);
    children.set(element, addNamedParents(child, findStepSchema(schema, element, name)));
  }
  return { members, children };
}

function findStepSchema(schema: StructuralSchema, element: PathElement, name: string | undefined): StructuralSchema {
  if (name !== undefined) return findMemberSchema(schema, name) ?? anySchema;
  return isKeyElement(element) ? findItemSchema(schema) : anySchema;
}
