import { compileRegex } from '../../../core/cel/libraries/regex/compile-regex.ts';
import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { formatFieldError, makeForbidden, makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import type { JsonSchemaProps } from './custom-resource-definition.ts';
import { FaultList } from './fault-list.ts';

/** Where a schema stands. */
type Level = 'root' | 'item' | 'field';

const intOrString = [{ type: 'integer' }, { type: 'string' }];

/** A schema's items where they are one schema; `undefined` else. */
export function singleItems({ items }: JsonSchemaProps): JsonSchemaProps | undefined {
  return items === undefined || items === null || Array.isArray(items) ? undefined : (items as JsonSchemaProps);
}

function entriesOf(properties: JsonSchemaProps['properties']): [string, JsonSchemaProps][] {
  return Object.entries(properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

function has(schema: JsonSchemaProps, key: string): boolean {
  return Object.hasOwn(schema.properties ?? {}, key);
}

/**
 * Faults that keep a schema from being structural, sorted by their text: a type where one must be, none under `anyOf` and its like,
 * nothing there that is not outside of it, and nothing that takes metadata away.
 */
export function validateStructural(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const faults = new FaultList();
  validateInvariants(schema, 'root', path, faults);
  validateCompleteness(schema, schema, path, path, faults);
  const { errors } = faults;
  const texts = new Map(errors.map((error) => [error, formatFieldError(error)]));
  return errors.sort((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1));
}

function validateInvariants(schema: JsonSchemaProps, level: Level, path: FieldPath, faults: FaultList): void {
  const items = singleItems(schema);
  if (schema.type === 'array' && items === undefined) {
    faults.add(makeRequired(path.child('items'), 'must be specified'));
  }
  if (items !== undefined) validateInvariants(items, 'item', path.child('items'), faults);
  for (const [key, property] of entriesOf(schema.properties)) {
    validateInvariants(property, 'field', path.child('properties').key(key), faults);
  }
  const { additionalProperties } = schema;
  const additionalPath = path.child('additionalProperties');
  if (additionalProperties !== undefined && level === 'root') {
    faults.add(makeForbidden(additionalPath, 'must not be used at the root'));
  }
  if (typeof additionalProperties === 'object') {
    validateInvariants(additionalProperties, 'field', additionalPath, faults);
  }
  faults.addAll(validateExtensions(schema, path));
  validateJunctors(schema, true, level, path, faults);
  faults.addAll(validateType(schema, level, path));
  faults.addAll(validateResource(schema, level, path));
}

function validateExtensions(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((key) => schema[key] === true)
    .map((key) => makeInvalid(path.child(key), true, 'must be false if x-kubernetes-int-or-string is true'));
}

const missingTypes: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function validateType(schema: JsonSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const { type = '' } = schema;
  const own = path.child('type');
  const errors: FieldError[] = [];
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  if (isResource && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? makeRequired(own, detail) : makeInvalid(own, type, detail));
  } else if (
    type === '' &&
    schema['x-kubernetes-int-or-string'] !== true &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true
  ) {
    errors.push(makeRequired(own, missingTypes[level]));
  }
  if (isResource && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(makeForbidden(path.child('additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(makeInvalid(own, type, 'must be object at the root'));
  }
  return errors;
}

function validateResource(schema: JsonSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const properties = path.child('properties');
  for (const key of ['kind', 'apiVersion'] as const) {
    const type = has(schema, key) ? (schema.properties?.[key]?.type ?? '') : 'string';
    if (isResource && type !== 'string') {
      errors.push(makeInvalid(properties.key(key).child('type'), type, 'must be string'));
    }
  }
  const metadata = has(schema, 'metadata') ? schema.properties?.['metadata'] : undefined;
  if (metadata !== undefined) {
    const own = properties.key('metadata');
    if (isResource && metadata.type !== 'object') {
      errors.push(makeInvalid(own.child('type'), metadata.type ?? '', 'must be object'));
    }
    if (level === 'root' && restrictsMetadata(metadata)) {
      const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
      errors.push(makeForbidden(own, detail));
    }
  }
  if (
    schema['x-kubernetes-embedded-resource'] === true &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true &&
    Object.keys(schema.properties ?? {}).length === 0
  ) {
    const reason = 'x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(makeRequired(properties, `must not be empty if ${reason}`));
  }
  return errors;
}

function restrictsMetadata(metadata: JsonSchemaProps): boolean {
  const { type: _type, default: _default, properties, externalDocs: _docs, example: _example, ...rest } = metadata;
  const isFree = Object.keys(properties ?? {}).every((key) => key === 'name' || key === 'generateName');
  return !isFree || Object.values(rest).some((value) => value !== undefined);
}

/** Adds faults under `anyOf`, `allOf`, `oneOf` and `not`; `mayBeIntOrString`: the two ways to write that one of them is either are fine. */
function validateJunctors(
  schema: JsonSchemaProps,
  mayBeIntOrString: boolean,
  level: Level,
  path: FieldPath,
  faults: FaultList,
): void {
  const skipsAnyOf = mayBeIntOrString && deepEqual(schema.anyOf, intOrString);
  if (!skipsAnyOf) {
    for (const [index, part] of (schema.anyOf ?? []).entries()) {
      validateNested(part, false, level, path.child('anyOf').index(index), faults);
    }
  }
  const skipsFirst = mayBeIntOrString && deepEqual(schema.allOf?.[0]?.anyOf, intOrString);
  for (const [index, part] of (schema.allOf ?? []).entries()) {
    validateNested(part, skipsFirst && index === 0, level, path.child('allOf').index(index), faults);
  }
  for (const [index, part] of (schema.oneOf ?? []).entries()) {
    validateNested(part, false, level, path.child('oneOf').index(index), faults);
  }
  if (schema.not !== undefined) validateNested(schema.not, false, level, path.child('not'), faults);
  if (schema.pattern !== undefined && schema.pattern !== '') {
    const compiled = compileRegex(schema.pattern);
    if ('fault' in compiled) {
      const detail = `must be a valid regular expression, but isn't: ${compiled.fault}`;
      faults.add(makeInvalid(path.child('pattern'), schema.pattern, detail));
    }
  }
}

const forbiddenTexts: readonly (readonly [key: keyof JsonSchemaProps, detail: string])[] = [
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function validateNested(
  schema: JsonSchemaProps,
  skipsAnyOf: boolean,
  level: Level,
  path: FieldPath,
  faults: FaultList,
): void {
  const { anyOf: _anyOf, ...withoutAnyOf } = schema;
  validateJunctors(skipsAnyOf ? withoutAnyOf : schema, false, level, path, faults);
  const items = singleItems(schema);
  if (items !== undefined) validateNested(items, false, level, path.child('items'), faults);
  for (const [key, property] of entriesOf(schema.properties)) {
    validateNested(property, false, 'field', path.child('properties').key(key), faults);
  }
  if ((schema.type ?? '') !== '') faults.add(makeForbidden(path.child('type'), 'must be empty to be structural'));
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    faults.add(makeForbidden(path.child('additionalProperties'), 'must be undefined to be structural'));
  }
  for (const [key, detail] of forbiddenTexts) {
    if (schema[key] !== undefined) faults.add(makeForbidden(path.child(key), detail));
  }
  if (has(schema, 'metadata')) {
    const detail = 'must not be specified in a nested context';
    faults.add(makeForbidden(path.child('properties').key('metadata'), detail));
  }
}

/** Adds faults of what is said under `anyOf` and its like of parts that `schema` does not have itself. */
function validateCompleteness(
  value: JsonSchemaProps,
  schema: JsonSchemaProps,
  path: FieldPath,
  valuePath: FieldPath,
  faults: FaultList,
): void {
  const visit = (part: JsonSchemaProps, partPath: FieldPath): void => {
    validateNestedCompleteness(part, schema, path, partPath, faults);
  };
  if (value.not !== undefined) visit(value.not, valuePath.child('not'));
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, part] of (value[key] ?? []).entries()) visit(part, valuePath.child(key).index(index));
  }
}

function validateNestedCompleteness(
  value: JsonSchemaProps,
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
  valuePath: FieldPath,
  faults: FaultList,
): void {
  if (schema === undefined) {
    faults.add(makeRequired(path, `because it is defined in ${valuePath.toString()}`));
    return;
  }
  validateCompleteness(value, schema, path, valuePath, faults);
  const items = singleItems(value);
  if (items !== undefined) {
    const own = singleItems(schema);
    validateNestedCompleteness(items, own, path.child('items'), valuePath.child('items'), faults);
  }
  for (const [key, property] of entriesOf(value.properties)) {
    const own = has(schema, key) ? schema.properties?.[key] : undefined;
    const [ownPath, at] = [path.child('properties').key(key), valuePath.child('properties').key(key)];
    validateNestedCompleteness(property, own, ownPath, at, faults);
  }
}
