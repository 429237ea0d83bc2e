import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { insertPath, makeFieldSetBuilder, type FieldSet, type FieldSetBuilder } from './field-set.ts';
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
  isNamedField,
} from './typed-schema.ts';

/** The set of every leaf and list item that `value` mentions, as an applied configuration owns them. */
export function toFieldSet(value: JsonValue, schema: StructuralSchema): FieldSet {
  const set = makeFieldSetBuilder();
  visit(value, schema, [], set);
  return set;
}

function visit(value: JsonValue, schema: StructuralSchema, path: PathElement[], set: FieldSetBuilder): void {
  const shape = findShape(schema, value);
  if (shape === 'scalar' || (shape === 'list' ? isAtomicList(schema) : isAtomicMap(schema))) {
    insertPath(set, path);
  } else if (shape === 'list') {
    const list = asList(value);
    if (list !== undefined) visitItems(list, schema, path, set);
  } else {
    const map = asMap(value);
    if (map !== undefined) visitMembers(map, schema, path, set);
  }
}

function visitMembers(map: JsonObject, schema: StructuralSchema, path: PathElement[], set: FieldSetBuilder): void {
  for (const key of Object.keys(map)) {
    const member = map[key];
    if (member === undefined) continue;
    path.push(makeFieldElement(key));
    visit(member, findMemberSchema(schema, key) ?? anySchema, path, set);
    const isEmpty = member === null || (isJsonObject(member) && Object.keys(member).length === 0);
    if (isEmpty || !isNamedField(schema, key)) insertPath(set, path);
    path.pop();
  }
}

/** Items that occur twice are owned as they are, without what lies in them. */
function visitItems(list: JsonValue[], schema: StructuralSchema, path: PathElement[], set: FieldSetBuilder): void {
  const elements = list.map((item) => findItemElement(schema, item));
  const seen = new Set<PathElement>();
  const repeated = new Set<PathElement>();
  for (const element of elements) {
    if (typeof element !== 'string') continue;
    if (seen.has(element)) repeated.add(element);
    seen.add(element);
  }
  for (let i = 0; i < list.length; i++) {
    const element = elements[i];
    if (typeof element !== 'string') continue;
    path.push(element);
    if (!repeated.has(element)) visit(list[i]!, findItemSchema(schema), path, set);
    insertPath(set, path);
    path.pop();
  }
}
