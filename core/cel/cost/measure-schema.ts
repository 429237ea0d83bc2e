import { isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.ts';
import { escapeFieldName } from '../types/escape-field-name.ts';

/** How large values of a schema can be. */
export interface SchemaSize {
  /** Bytes of a text, items of a list or members of a map at most; 0 for everything else. */
  readonly maxElements: number;
  /** Bytes of the smallest value in JSON. */
  readonly minBytes: number;
  /** Items of a list or values of a map. */
  readonly elements?: SchemaSize;
  /** Keys of a map. */
  readonly keys?: SchemaSize;
  /** By the names that expressions use. */
  readonly fields?: ReadonlyMap<string, SchemaSize>;
}

/** The largest body of a request that Kubernetes assumes. */
const maxRequestBytes = 3 * 1024 * 1024;
const maxTextBytes = maxRequestBytes - 2;
const textSize: SchemaSize = { maxElements: 0, minBytes: 2 };
const freeText: SchemaSize = { maxElements: maxTextBytes, minBytes: 2 };
const fixedTexts: Readonly<Record<string, SchemaSize>> = {
  duration: { maxElements: 32, minBytes: 3 },
  date: { maxElements: 12, minBytes: 12 },
  'date-time': { maxElements: 32, minBytes: 21 },
};

/**
 * How large the values of a structural schema can be; `undefined` for a schema that expressions cannot see. `isResource`: the schema is that
 * of a whole resource, which has a name whatever the schema says.
 */
export function measureSchema(schema: JsonObject, isResource: boolean): SchemaSize | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    const { maxLength } = schema;
    return { maxElements: isNumber(maxLength) ? readLimit(maxLength) * 4 : maxTextBytes, minBytes: 1 };
  }
  switch (schema['type']) {
    case 'array':
      return measureList(schema);
    case 'object':
      return isJsonObject(schema['additionalProperties'])
        ? measureMap(schema, schema['additionalProperties'])
        : measureObject(schema, isResource);
    case 'string':
      return measureText(schema);
    case 'boolean':
      return { maxElements: 0, minBytes: 4 };
    case 'number':
    case 'integer':
      return { maxElements: 0, minBytes: 1 };
    default:
      return undefined;
  }
}

/** How often values of a schema may occur in one object at most, where nothing around them says it. */
export function countMaxOccurrences({ minBytes }: SchemaSize): number {
  return Math.floor(maxRequestBytes / (minBytes + 1));
}

function isNumber(value: JsonValue | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function readLimit(limit: number | bigint): number {
  return Math.max(0, Number(limit));
}

function measurePart(schema: JsonValue | undefined): SchemaSize | undefined {
  return isJsonObject(schema) ? measureSchema(schema, schema['x-kubernetes-embedded-resource'] === true) : undefined;
}

function measureList({ items, maxItems }: JsonObject): SchemaSize | undefined {
  const elements = measurePart(items);
  if (elements === undefined) return undefined;
  const fitting = Math.floor((maxRequestBytes - 2) / (elements.minBytes + 1));
  return { maxElements: isNumber(maxItems) ? readLimit(maxItems) : fitting, minBytes: 2, elements };
}

function measureMap({ maxProperties }: JsonObject, values: JsonObject): SchemaSize | undefined {
  const elements = measurePart(values);
  if (elements === undefined) return undefined;
  const fitting = Math.floor((maxRequestBytes - 2) / (elements.minBytes + 6));
  const maxElements = isNumber(maxProperties) ? readLimit(maxProperties) : fitting;
  return { maxElements, minBytes: 2, elements, keys: textSize };
}

function measureObject(schema: JsonObject, isResource: boolean): SchemaSize {
  const fields = new Map<string, SchemaSize>();
  const required = new Set<JsonValue>(Array.isArray(schema['required']) ? schema['required'] : []);
  const properties: JsonObject = isJsonObject(schema['properties']) ? schema['properties'] : {};
  let minBytes = 2;
  for (const [name, property] of Object.entries(isResource ? completeProperties(properties) : properties)) {
    const size = measurePart(property);
    if (size === undefined) continue;
    const escaped = escapeFieldName(name);
    if (escaped !== undefined) fields.set(escaped, size);
    const hasDefault = isJsonObject(property) && property['default'] !== undefined;
    if (required.has(name) && !hasDefault) minBytes += new TextEncoder().encode(name).length + size.minBytes + 4;
  }
  return { maxElements: 0, minBytes, fields };
}

function hasType(schema: JsonValue | undefined, type: string): boolean {
  return isJsonObject(schema) && schema['type'] === type;
}

/** The schemas of a resource's fields with those that every resource has; unless all of them are there, they are put in their places. */
export function completeProperties(properties: JsonObject): JsonObject {
  const { kind, apiVersion, metadata } = properties;
  const named = isJsonObject(metadata) && isJsonObject(metadata['properties']) ? metadata['properties'] : {};
  const isComplete =
    hasType(kind, 'string') &&
    hasType(apiVersion, 'string') &&
    hasType(metadata, 'object') &&
    hasType(named['name'], 'string') &&
    hasType(named['generateName'], 'string');
  if (isComplete) return properties;
  const text = { type: 'string' };
  const added = { type: 'object', properties: { name: text, generateName: text } };
  return { ...properties, kind: text, apiVersion: text, metadata: added };
}

function measureText({ format, maxLength, enum: values }: JsonObject): SchemaSize {
  const fixed = typeof format === 'string' && Object.hasOwn(fixedTexts, format) ? fixedTexts[format] : undefined;
  if (fixed !== undefined) return fixed;
  if (isNumber(maxLength)) {
    return { maxElements: readLimit(maxLength) * (format === 'byte' ? 1 : 4), minBytes: 2 };
  }
  if (format === 'byte' || !Array.isArray(values) || values.length === 0) return freeText;
  const encoder = new TextEncoder();
  let longest = 0;
  for (const value of values) {
    if (typeof value === 'string') longest = Math.max(longest, encoder.encode(value).length);
  }
  return { maxElements: longest, minBytes: 2 };
}
