import { compileRegex } from '../../../../core/cel/libraries/regex/compile-regex.ts';
import { quoteGo } from '../../../../core/errors/quote-go.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, propertyOf, valuesOf } from '../schema-parts.ts';
import type { CorrelatedValue } from './correlated-value.ts';
import { findFormatCheck } from './formats.ts';
import { matchesEnum } from './matches-enum.ts';
import { SchemaResult, type SchemaFault } from './schema-result.ts';
import { hasAlternatives, validateAlternatives } from './validate-alternatives.ts';
import { isGoInteger, isNearInteger, validateNumber } from './validate-number.ts';

/**
 * What a schema finds wrong with a value, as OpenAPI has it: types, bounds, patterns, formats, enumerations, required fields and
 * alternatives. `name` is the path of the value as messages quote it. With `before`, faults of what did not change are left out.
 */
export function validateBySchema(
  value: JsonValue,
  schema: JsonSchemaProps,
  name: string,
  before?: CorrelatedValue,
): SchemaResult {
  const result = value === null ? validateNull(schema, name) : validatePresent(value, schema, name, before);
  if (!result.isValid && before?.isUnchanged === true) result.forgive();
  return result;
}

/** A schema that may say that its format is part of its type even when no text is checked against it, as is so of defaults. */
export interface FormattedSchema extends JsonSchemaProps {
  readonly countsFormats?: true;
}

function listTypes(schema: JsonSchemaProps): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

function makeTypeFault(name: string, expected: string, found: string): SchemaFault {
  return {
    kind: 'type',
    name,
    value: found,
    message: `${name} in body must be of type ${expected}: ${quoteGo(found)}`,
  };
}

function validateNull(schema: JsonSchemaProps, name: string): SchemaResult {
  const result = new SchemaResult();
  const types = listTypes(schema);
  if (types.length > 0 && !types.includes('null') && schema.nullable !== true) {
    result.add(makeTypeFault(name, types.join(','), 'null'));
  } else {
    result.matches++;
  }
  result.add(checkEnum(null, schema, name));
  return result;
}

function validatePresent(
  value: NonNullable<JsonValue>,
  schema: FormattedSchema,
  name: string,
  before: CorrelatedValue | undefined,
): SchemaResult {
  const result = new SchemaResult();
  const format = findFormatCheck(schema.format);
  const countedFormat = format === undefined && schema.countsFormats !== true ? '' : (schema.format ?? '');
  const types = listTypes(schema);
  if (types.length > 0 || countedFormat !== '') {
    const fault = checkType(value, types, countedFormat, name);
    result.add(fault);
    result.matches += fault === undefined ? 2 : 1;
  }
  if (hasAlternatives(schema)) {
    result.merge(validateAlternatives(schema, name, (one) => validateBySchema(value, one, name)));
  }
  result.matches += 2;
  if (typeof value === 'string') {
    result.add(checkText(value, schema, name));
    result.matches++;
    if (format !== undefined) {
      if (!format(value)) result.add(makeTypeFault(name, schema.format ?? '', value));
      result.matches++;
    }
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    for (const fault of validateNumber(name, value, schema)) result.add(fault);
    result.matches += 2;
  } else if (Array.isArray(value)) {
    validateItems(value, schema, name, before, result);
    result.matches += 2;
  }
  result.add(checkEnum(value, schema, name));
  result.matches++;
  if (isJsonObject(value)) {
    validateMembers(value, schema, name, before, result);
    result.matches++;
  }
  result.matches++;
  return result;
}

function nameType(value: NonNullable<JsonValue>): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || typeof value === 'bigint') return isGoInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** Go's format of a number; anything else has none. */
function nameFormat(value: NonNullable<JsonValue>): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return '';
  return isGoInteger(value) ? 'int64' : 'float64';
}

function checkType(
  value: NonNullable<JsonValue>,
  types: readonly string[],
  format: string,
  name: string,
): SchemaFault | undefined {
  const found = nameType(value);
  const isWhole = typeof value === 'number' && found === 'number' && isNearInteger(value);
  const isTaken =
    types.includes(found) ||
    (isWhole && types.includes('integer')) ||
    (found === 'integer' && types.includes('number'));
  const isTextOrList = typeof value === 'string' || Array.isArray(value);
  if (format !== '' && !isTextOrList && !isTaken) return makeTypeFault(name, format, nameFormat(value));
  // A list passes for a text with a format.
  if (format !== '' && isTextOrList && !types.includes('number') && !types.includes('integer')) return undefined;
  return isTaken ? undefined : makeTypeFault(name, types.join(','), found);
}

function checkText(value: string, schema: JsonSchemaProps, name: string): SchemaFault | undefined {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined || minLength !== undefined) {
    const length = countCharacters(value);
    if (maxLength !== undefined && length > maxLength) {
      const message = `${name} in body should be at most ${maxLength} chars long`;
      return { kind: 'tooLong', name, value, limit: maxLength, message };
    }
    if (minLength !== undefined && length < minLength) {
      const message = `${name} in body should be at least ${minLength} chars long`;
      return { kind: 'other', name, value, message };
    }
  }
  if (pattern === undefined || pattern === '') return undefined;
  const regex = compileRegex(pattern);
  if ('fault' in regex) {
    const fault = `${pattern}, but pattern is invalid: ${regex.fault}`;
    return { kind: 'other', name, value, message: `${name} in body should match '${fault}'` };
  }
  if (regex.test(value)) return undefined;
  return { kind: 'other', name, value, message: `${name} in body should match '${pattern}'` };
}

function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (isPair) count--;
  }
  return count;
}

const joined = new WeakMap<readonly JsonValue[], string>();

/** Put together once for all the values that are none of these. */
function joinAllowed(allowed: readonly JsonValue[]): string {
  let text = joined.get(allowed);
  if (text === undefined) joined.set(allowed, (text = allowed.join(' ')));
  return text;
}

function checkEnum(value: JsonValue, schema: JsonSchemaProps, name: string): SchemaFault | undefined {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0 || matchesEnum(value, allowed)) return undefined;
  return {
    kind: 'enum',
    name,
    value,
    supported: allowed,
    message: `${name} in body should be one of ${joinAllowed(allowed)}`,
  };
}

function validateItems(
  list: readonly JsonValue[],
  schema: JsonSchemaProps,
  name: string,
  before: CorrelatedValue | undefined,
  result: SchemaResult,
): void {
  const items = itemsOf(schema);
  if (items !== undefined) {
    for (const [index, item] of list.entries()) {
      result.merge(validateBySchema(item, items, `${name}[${index}]`, before?.item(index)));
    }
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && list.length < minItems) {
    const message = `${name} in body should have at least ${minItems} items`;
    result.add({ kind: 'other', name, value: list.length, message });
  }
  if (maxItems !== undefined && list.length > maxItems) {
    const message = `${name} in body should have at most ${maxItems} items`;
    result.add({ kind: 'tooMany', name, value: list.length, limit: maxItems, message });
  }
}

function validateMembers(
  object: JsonObject,
  schema: JsonSchemaProps,
  name: string,
  before: CorrelatedValue | undefined,
  result: SchemaResult,
): void {
  checkCount(object, schema, name, result);
  // At the root, both texts stand for the type that the server gave the object.
  const correlate = (key: string): CorrelatedValue | undefined =>
    name === '' && (key === 'kind' || key === 'apiVersion') ? undefined : before?.member(key);
  const values = valuesOf(schema);
  if (values !== undefined) {
    for (const key of Object.keys(object)) {
      if (propertyOf(schema, key) !== undefined) continue;
      result.merge(validateBySchema(object[key] ?? null, values, `${name}.${key}`, correlate(key)));
    }
  }
  for (const key of Object.keys(schema.properties ?? {})) {
    const property = propertyOf(schema, key);
    const member = getOwn(object, key);
    if (property === undefined || member === undefined) continue;
    result.merge(validateBySchema(member, property, name === '' ? key : `${name}.${key}`, correlate(key)));
  }
  for (const key of schema.required ?? []) {
    if (getOwn(object, key) !== undefined) continue;
    const path = `${name}.${key}`;
    result.add({ kind: 'required', name: path, message: `${path} in body is required` });
  }
}

function checkCount(object: JsonObject, schema: JsonSchemaProps, name: string, result: SchemaResult): void {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return;
  const count = Object.values(object).filter((member) => member !== undefined).length;
  if (minProperties !== undefined && count < minProperties) {
    const message = `${name} in body should have at least ${minProperties} properties`;
    result.add({ kind: 'other', name, value: count, message });
  }
  if (maxProperties !== undefined && count > maxProperties) {
    const message = `${name} in body should have at most ${maxProperties} properties`;
    result.add({ kind: 'tooMany', name, value: count, limit: maxProperties, message });
  }
}
