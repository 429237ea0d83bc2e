import type { FieldError } from '../../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../../core/errors/make-field-error.ts';
import { quoteGo } from '../../../../core/errors/quote-go.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { ObjectMeta } from '../../../../core/meta/kube-object.ts';
import { checkDns1035Label, checkPathSegmentName } from '../../../../core/validation/names.ts';
import { validateObjectMeta } from '../../../../core/validation/object-meta.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { readMetadata } from '../decode/coerce-metadata.ts';
import { itemsOf, propertyOf, valuesOf } from '../schema-parts.ts';
import { hasResources } from '../schema-traits.ts';
import { sortKeys } from '../sort-keys.ts';

/** Faults of the types and the metadata of resources inside a value. */
export function validateEmbeddedResources(
  value: JsonValue | undefined,
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
): FieldError[] {
  if (schema === undefined || !hasResources(schema)) return [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return value.flatMap((item, i) => validateEmbeddedResources(item, items, path.index(i)));
  }
  if (!isJsonObject(value)) return [];
  const own = schema['x-kubernetes-embedded-resource'] === true ? validateResource(value, path) : [];
  const values = valuesOf(schema);
  const inner = Object.keys(value).flatMap((key) => {
    const property = propertyOf(schema, key);
    const below = property ?? values;
    if (below === undefined || !hasResources(below)) return [];
    if (property === undefined) return validateEmbeddedResources(value[key], values, path.key(key));
    return validateEmbeddedResources(value[key], property, path.child(key));
  });
  return [...own, ...inner];
}

function validateResource(object: JsonObject, path: FieldPath): FieldError[] {
  const { apiVersion, kind, metadata } = object;
  return [
    ...(apiVersion === undefined
      ? [makeRequired(path.child('apiVersion'), '')]
      : validateApiVersion(apiVersion, path.child('apiVersion'))),
    ...(kind === undefined ? [makeRequired(path.child('kind'), '')] : validateKind(kind, path.child('kind'))),
    ...(metadata === undefined ? [] : validateMetadata(metadata, path.child('metadata'))),
  ];
}

function validateApiVersion(value: JsonValue, path: FieldPath): FieldError[] {
  if (typeof value !== 'string') return [makeInvalid(path, sortKeys(value), 'must be a string')];
  if (value === '') return [makeInvalid(path, value, 'must not be empty')];
  if (value.split('/').length <= 2) return [];
  return [makeInvalid(path, value, `unexpected GroupVersion string: ${value}`)];
}

function validateKind(value: JsonValue, path: FieldPath): FieldError[] {
  if (typeof value !== 'string') return [makeInvalid(path, sortKeys(value), 'must be a string')];
  if (value === '') return [makeInvalid(path, value, 'must not be empty')];
  const faults = checkDns1035Label(value.toLowerCase());
  if (faults.length === 0) return [];
  return [makeInvalid(path, value, `may have mixed case, but should otherwise match: ${faults.join(',')}`)];
}

function validateMetadata(value: JsonValue, path: FieldPath): FieldError[] {
  const read = readMetadata(value);
  if ('fault' in read) return [makeInvalid(path, sortKeys(value), read.fault)];
  const metadata = read.metadata as ObjectMeta;
  const named = { ...metadata, name: (metadata.name ?? '') === '' ? 'fakename' : metadata.name } as ObjectMeta;
  const rules = {
    namespaced: (metadata.namespace ?? '') !== '',
    validateName: checkPathSegmentName,
    allowsPlainFinalizers: true,
  };
  return validateObjectMeta(named, rules, path);
}

/** Texts of warnings about finalizers that may collide with those of others. */
export function warnOfFinalizers(finalizers: readonly string[], check: (name: string) => readonly string[]): string[] {
  return [...new Set(finalizers)].toSorted().flatMap((name) => {
    const warn = (text: string): string => `metadata.finalizers: ${quoteGo(name)}: ${text}`;
    const faults = check(name).map(warn);
    if (name.includes('/') || standardFinalizers.has(name)) return faults;
    const place = name.includes('.') ? ' including a path (/)' : '';
    const advice = `prefer a domain-qualified finalizer name${place} to avoid accidental conflicts with other finalizer writers`;
    return [...faults, warn(advice)];
  });
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
