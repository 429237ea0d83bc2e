import { quoteGo } from '../errors/quote-go.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import { formatGoNumber, formatGoValue } from '../patch/format-go-value.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { compareBytes, formatPathElement, makeFieldElement } from './path-element.ts';
import { asList, findItemElement, findItemSchema, findMemberSchema, findShape, isAtomicList } from './typed-schema.ts';

/**
 * What Kubernetes' typed merge finds wrong with a configuration, in its words: fields that the schema does not declare, wrong
 * types, repeated items. `undefined` when it conforms. `allowDuplicates` accepts repeated items, as in stored objects.
 */
export function validateTyped(
  value: JsonValue,
  schema: StructuralSchema,
  options: { readonly allowDuplicates?: boolean } = {},
): string | undefined {
  const faults: string[] = [];
  visit(value, schema, '', { faults, allowDuplicates: options.allowDuplicates === true });
  if (faults.length === 0) return undefined;
  return faults.length === 1 ? faults[0] : ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n');
}

interface Walk {
  readonly faults: string[];
  readonly allowDuplicates: boolean;
}

function report(walk: Walk, path: string, fault: string): void {
  walk.faults.push(path === '' ? fault : `${path}: ${fault}`);
}

function visit(value: JsonValue, schema: StructuralSchema, path: string, walk: Walk): void {
  if (value === null) return;
  const shape = findShape(schema, value);
  if (shape === 'scalar') {
    const fault = checkScalar(value, schema);
    if (fault !== undefined) report(walk, path, fault);
  } else if (shape === 'list') {
    const list = asList(value);
    if (list === undefined) report(walk, path, `expected list, got &{${formatGoValue(value)}}`);
    else visitItems(list, schema, path, walk);
  } else if (isJsonObject(value)) {
    visitMembers(value, schema, path, walk);
  } else {
    report(walk, path, `expected map, got &{${formatGoValue(value)}}`);
  }
}

function visitMembers(map: JsonObject, schema: StructuralSchema, path: string, walk: Walk): void {
  for (const key of Object.keys(map).sort(compareBytes)) {
    const member = map[key];
    if (member === undefined) continue;
    const memberPath = path + formatPathElement(makeFieldElement(key));
    const memberSchema = findMemberSchema(schema, key);
    if (memberSchema === undefined) {
      // The first member that is not declared ends the walk of its object.
      report(walk, memberPath, 'field not declared in schema');
      return;
    }
    visit(member, memberSchema, memberPath, walk);
  }
}

function visitItems(list: JsonValue[], schema: StructuralSchema, path: string, walk: Walk): void {
  const seen = new Set<string>();
  for (let i = 0; i < list.length; i++) {
    let element = `i:${i}`;
    if (!isAtomicList(schema)) {
      const found = findItemElement(schema, list[i]);
      if (typeof found !== 'string') {
        report(walk, path, `element ${i}: ${found.fault}`);
        return;
      }
      element = found;
      if (seen.has(element) && !walk.allowDuplicates) {
        report(walk, path, `duplicate entries for key ${formatPathElement(element)}`);
      }
      seen.add(element);
    }
    visit(list[i]!, findItemSchema(schema), path + formatPathElement(element), walk);
  }
}

function checkScalar(value: JsonValue, schema: StructuralSchema): string | undefined {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  switch (schema.type) {
    case 'integer':
    case 'number':
      return isNumber ? undefined : `expected numeric (int or float), got ${findGoType(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${formatGoValue(value)}}`;
    case 'string':
      // Strings with a format of their own, byte aside, take any scalar: a quantity may be written as a number.
      if (schema.format === undefined || schema.format === 'byte') {
        return typeof value === 'string'
          ? undefined
          : `expected string, got &value.valueUnstructured{Value:${formatGoSyntax(value)}}`;
      }
      break;
    default:
  }
  const isScalar = isNumber || typeof value === 'string' || typeof value === 'boolean';
  return isScalar ? undefined : `expected any scalar, got &{${formatGoValue(value)}}`;
}

function findGoType(value: JsonValue): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** A decoded value as Go's `%#v` prints it. */
function formatGoSyntax(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return quoteGo(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatGoSyntax).join(', ')}}`;
  if (typeof value === 'number' || typeof value === 'bigint') return formatGoNumber(value);
  if (!isJsonObject(value)) return String(value);
  const keys = Object.keys(value).sort(compareBytes);
  return `map[string]interface {}{${keys.map((key) => `${quoteGo(key)}:${formatGoSyntax(value[key])}`).join(', ')}}`;
}
