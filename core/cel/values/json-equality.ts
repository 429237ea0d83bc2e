import type { StructuralSchema } from '../../schema/structural-schema.ts';
import type { CelValue } from './cel-value.ts';
import { countComparison } from './comparison-count.ts';
import { countProperties, JsonList, JsonMap, readProperty } from './json-value.ts';

const plainness = new WeakMap<StructuralSchema, boolean>();

/** Whether nothing that a schema describes is compared otherwise than item by item in order. */
function isPlainSchema(schema: StructuralSchema | undefined): boolean {
  if (schema === undefined) return true;
  const known = plainness.get(schema);
  if (known !== undefined) return known;
  const isPlain = !findListType(schema, new Set());
  plainness.set(schema, isPlain);
  return isPlain;
}

function findListType(schema: StructuralSchema, visited: Set<StructuralSchema>): boolean {
  if (visited.has(schema)) return false;
  visited.add(schema);
  if (schema.isDeclared === true || schema.listType === 'set' || schema.listType === 'map') return true;
  const inner = [schema.items, schema.values, ...Object.values(schema.properties ?? {})];
  return inner.some((child) => child !== undefined && findListType(child, visited));
}

/** Deeper than what anybody writes, and far from what the stack holds. */
const maxDepth = 500;

/** Whether two JSON values are the same, whatever the order of properties; they may be as deep as they like. */
export function isSameJson(first: unknown, second: unknown): boolean {
  const tooDeep: (readonly [unknown, unknown])[] = [[first, second]];
  for (let pair = tooDeep.pop(); pair !== undefined; pair = tooDeep.pop()) {
    if (!isSame(pair[0], pair[1], 0, tooDeep)) return false;
  }
  return true;
}

/** The same but for parts beyond `maxDepth`, which are left in `tooDeep`. */
function isSame(first: unknown, second: unknown, depth: number, tooDeep: (readonly [unknown, unknown])[]): boolean {
  countComparison();
  if (first === second) return true;
  if (typeof first !== 'object' || typeof second !== 'object' || first === null || second === null) {
    // An integer may have been read as a number here and as a bigint there.
    return isNumber(first) && isNumber(second) && Number(first) === Number(second) && BigInt(first) === BigInt(second);
  }
  if (depth > maxDepth) {
    tooDeep.push([first, second]);
    return true;
  }
  if (Array.isArray(first)) {
    if (!Array.isArray(second) || first.length !== second.length) return false;
    for (let index = 0; index < first.length; index++) {
      if (!isSame(first[index], second[index], depth + 1, tooDeep)) return false;
    }
    return true;
  }
  return !Array.isArray(second) && areObjectsSame(first as JsonObject, second as JsonObject, depth, tooDeep);
}

type JsonObject = Readonly<Record<string, unknown>>;

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}

function areObjectsSame(
  first: JsonObject,
  second: JsonObject,
  depth: number,
  tooDeep: (readonly [unknown, unknown])[],
): boolean {
  if (countProperties(first) !== countProperties(second)) return false;
  for (const key of Object.keys(first)) {
    const value = first[key];
    if (value === undefined) continue;
    const other = readProperty(second, key);
    if (other === undefined || !isSame(value, other, depth + 1, tooDeep)) return false;
  }
  return true;
}

/** Whether a value is JSON that can be compared as it is: nothing in it is a set or a map by its schema. */
export function isPlainJson(value: CelValue): value is JsonMap | JsonList {
  return (value instanceof JsonMap || value instanceof JsonList) && isPlainSchema(value.schema);
}
