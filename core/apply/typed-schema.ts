import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { makeKeyElement, makeValueElement, type PathElement } from './path-element.ts';

/** How a value is treated: walked by its keys, by its items, or as one. */
export type Shape = 'map' | 'list' | 'scalar';

/** Schema of a value that no schema describes: objects are granular, lists atomic. */
export const anySchema: StructuralSchema = { type: 'any' };

/** How the items of a list are told apart; `undefined` keys of a list that is not atomic mean a set. */
interface ListIdentity {
  readonly atomic: boolean;
  readonly keys?: readonly string[];
  /** Values of absent keys, in the order of `keys`. */
  readonly keyDefaults?: readonly (JsonValue | undefined)[];
}

const identities = new WeakMap<StructuralSchema, ListIdentity>();

/** How `value` is treated under `schema`. Where the schema leaves it open the value decides; null then counts as a map. */
export function findShape(schema: StructuralSchema, value: JsonValue | undefined): Shape {
  switch (schema.type) {
    case 'object':
      return 'map';
    case 'array':
      return 'list';
    case 'any':
      if (Array.isArray(value)) return 'list';
      if (schema.format === 'int-or-string' && !isJsonObject(value)) return 'scalar';
      return value === undefined || value === null || isJsonObject(value) ? 'map' : 'scalar';
    default:
      return 'scalar';
  }
}

/** Whether an object or map is replaced whole. */
export function isAtomicMap(schema: StructuralSchema): boolean {
  return schema.mapType === 'atomic';
}

/** Whether a list is replaced whole. */
export function isAtomicList(schema: StructuralSchema): boolean {
  return identifyList(schema).atomic;
}

/** Whether `name` is a field that the schema of an object declares by name. */
export function isNamedField(schema: StructuralSchema, name: string): boolean {
  return schema.properties !== undefined && Object.hasOwn(schema.properties, name);
}

/** Schema of a member of an object or map; `undefined` when the schema does not allow that member. */
export function findMemberSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  if (schema.values !== undefined) return schema.values;
  const isOpen = schema.type === 'any' || schema.preserveUnknown === true || schema.properties === undefined;
  return isOpen ? anySchema : undefined;
}

/** Schema of the items of a list. */
export function findItemSchema(schema: StructuralSchema): StructuralSchema {
  return schema.items ?? anySchema;
}

/** The step to `item` of a list that is not atomic, or why it has none. */
export function findItemElement(
  schema: StructuralSchema,
  item: JsonValue | undefined,
): PathElement | { fault: string } {
  const { keys, keyDefaults } = identifyList(schema);
  if (keys === undefined) return findSetElement(item);
  if (item === null || item === undefined) {
    return { fault: 'associative list with keys may not have a null element' };
  }
  if (!isJsonObject(item)) return { fault: 'associative list with keys may not have non-map elements' };
  const found: [string, JsonValue][] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const value = getOwn(item, key) ?? keyDefaults?.[i];
    // Without a value the key is left out: an item that lacks it is another item.
    if (Object.hasOwn(item, key) && item[key] === null) found.push([key, null]);
    else if (value !== undefined) found.push([key, value]);
  }
  if (found.length > 0 || keys.length === 0) return makeKeyElement(found);
  const quoted = keys.map((key) => JSON.stringify(key)).join(' ');
  return {
    fault: `associative list with keys has an element that omits all key fields [${quoted}] (and doesn't have default values for any key fields)`,
  };
}

function findSetElement(item: JsonValue | undefined): PathElement | { fault: string } {
  if (isJsonObject(item)) return { fault: "associative list without keys has an element that's a map type" };
  if (Array.isArray(item)) return { fault: 'not supported: associative list with lists as elements' };
  if (item === null || item === undefined) {
    return { fault: "associative list without keys has an element that's an explicit null" };
  }
  return makeValueElement(item);
}

/** An object as one that lower-level code may read members of; `undefined` for everything else, null included. */
export function asMap(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** A list, or `undefined` for everything else, null included. */
export function asList(value: JsonValue | undefined): JsonValue[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** A list type wins; without one the merge key of strategic merge tells items apart, as in Kubernetes' own conversion. */
function identifyList(schema: StructuralSchema): ListIdentity {
  const known = identities.get(schema);
  if (known !== undefined) return known;
  let identity: ListIdentity = { atomic: true };
  if (schema.listType === 'map') identity = identifyByKeys(schema, schema.listMapKeys ?? []);
  else if (schema.listType === 'set') identity = { atomic: false };
  else if (schema.listType === undefined && schema.patchStrategy?.includes('merge')) {
    identity = schema.patchMergeKey === undefined ? { atomic: false } : identifyByKeys(schema, [schema.patchMergeKey]);
  }
  identities.set(schema, identity);
  return identity;
}

function identifyByKeys(schema: StructuralSchema, keys: readonly string[]): ListIdentity {
  return { atomic: false, keys, keyDefaults: keys.map((key) => findKeyDefault(schema.items?.properties?.[key])) };
}

function findKeyDefault(key: StructuralSchema | undefined): JsonValue | undefined {
  if (key?.default !== undefined) return key.default;
  if (key?.zero !== 'fill') return undefined;
  if (key.type === 'string') return '';
  if (key.type === 'integer' || key.type === 'number') return 0;
  return key.type === 'boolean' ? false : undefined;
}
