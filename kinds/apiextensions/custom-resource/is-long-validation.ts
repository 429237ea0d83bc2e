import { measurePattern } from '../../../core/cel/libraries/regex/measure-pattern.ts';
import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, valuesOf } from './schema-parts.ts';

/** So many values are held against a schema in some 20 ms, at first. */
const quickSteps = 8_000;

/** So many members that a schema declares, or entries of an enumeration, are looked at in the time of one value. */
const lookupsPerStep = 8;

/** So many characters times instructions of patterns take some 20 ms at worst. */
const quickCharacterSteps = 400_000;

/** An instruction of a pattern costs as much as reading so many characters. */
const charactersPerInstruction = 20;

/**
 * Whether holding an object against a schema may take more than some tens of milliseconds. Walks along both as validation does, and stops
 * as soon as it knows: no object and no schema costs more than one that is just not long.
 */
export function isLongValidation({ metadata: _metadata, ...fields }: JsonObject, schema: JsonSchemaProps): boolean {
  const measure = new Measure();
  measure.walk(fields, schema);
  return measure.isOver;
}

class Measure {
  #steps = quickSteps;
  #characterSteps = quickCharacterSteps;

  get isOver(): boolean {
    return this.#steps < 0 || this.#characterSteps < 0;
  }

  walk(value: JsonValue | undefined, schema: JsonSchemaProps | undefined): void {
    this.#steps--;
    if (this.isOver) return;
    if (schema !== undefined) this.#countOwn(value, schema);
    if (Array.isArray(value)) this.#walkItems(value, itemsOf(schema));
    else if (typeof value === 'object' && value !== null) this.#walkMembers(value, schema);
  }

  #walkItems(list: readonly JsonValue[], items: JsonSchemaProps | undefined): void {
    for (const item of list) {
      if (this.isOver) return;
      this.walk(item, items);
    }
  }

  #walkMembers(object: JsonObject, schema: JsonSchemaProps | undefined): void {
    const properties = schema?.properties;
    const values = valuesOf(schema);
    for (const key in object) {
      if (this.isOver) return;
      this.walk(object[key], properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : values);
    }
  }

  /** What a schema itself says of a value, its alternatives included. */
  #countOwn(value: JsonValue | undefined, schema: JsonSchemaProps): void {
    const { anyOf, oneOf, allOf, not } = schema;
    this.#steps -= countLookups(value, schema) / lookupsPerStep;
    if (typeof value === 'string') this.#countText(value, schema);
    if (not !== undefined) this.walk(value, not);
    for (const alternatives of [anyOf, oneOf, allOf]) {
      for (const one of alternatives ?? []) {
        if (this.isOver) return;
        this.walk(value, one);
      }
    }
  }

  #countText(text: string, schema: JsonSchemaProps): void {
    const { pattern, format, minLength, maxLength } = schema;
    if (pattern !== undefined) this.#characterSteps -= (text.length + 1) * sizeOfPattern(schema, pattern);
    const isRead = format !== undefined || minLength !== undefined || maxLength !== undefined;
    if (isRead) this.#characterSteps -= text.length / charactersPerInstruction;
  }
}

function isComposed(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null;
}

function countLookups(value: JsonValue | undefined, schema: JsonSchemaProps): number {
  const { enum: allowed, properties, required } = schema;
  let count = 0;
  if (allowed !== undefined) count += isComposed(value) ? countParts(allowed) : allowed.length;
  if (!isComposed(value)) return count;
  if (required !== undefined) count += required.length;
  if (properties !== undefined) count += countMembers(properties);
  return count;
}

const patternSizes = new WeakMap<JsonSchemaProps, number>();

function sizeOfPattern(schema: JsonSchemaProps, pattern: string): number {
  let size = patternSizes.get(schema);
  if (size === undefined) patternSizes.set(schema, (size = measurePattern(pattern)));
  return size;
}

const counts = new WeakMap<object, number>();

/** How many members an object of a schema has; counted once. */
function countMembers(members: object): number {
  let count = counts.get(members);
  if (count === undefined) counts.set(members, (count = Object.keys(members).length));
  return count;
}

/** How many values there are in a list of a schema, at any depth; counted once. */
function countParts(list: readonly JsonValue[]): number {
  let count = counts.get(list);
  if (count !== undefined) return count;
  count = 0;
  const pending: JsonValue[] = [...list];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    count++;
    if (typeof next === 'object' && next !== null) for (const part of Object.values(next)) pending.push(part ?? null);
  }
  counts.set(list, count);
  return count;
}
