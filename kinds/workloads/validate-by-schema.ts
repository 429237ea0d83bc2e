import type { FieldError } from '../../core/errors/field-error.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import { makeNotSupported, makeRequired } from '../../core/errors/make-field-error.ts';
import { isJsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { StructuralSchema } from '../../core/schema/structural-schema.ts';

function validateValue(value: unknown, schema: StructuralSchema, path: FieldPath, errors: FieldError[]): void {
  if (typeof value === 'string' && value !== '' && schema.enum && !schema.enum.includes(value)) {
    errors.push(makeNotSupported(path, value, [...schema.enum].sort()));
  } else if (Array.isArray(value)) {
    const { items } = schema;
    if (items) value.forEach((item, index) => validateValue(item, items, path.index(index), errors));
  } else if (isJsonObject(value)) {
    for (const [key, field] of Object.entries(value)) {
      const below = schema.properties?.[key] ?? schema.values;
      if (below) validateValue(field, below, schema.values ? path.key(key) : path.child(key), errors);
    }
    for (const key of schema.required ?? []) {
      const isText = schema.properties?.[key]?.type === 'string';
      if (isText && (value[key] === undefined || value[key] === '')) errors.push(makeRequired(path.child(key), ''));
    }
  }
}

/** Faults that the structure alone tells: required texts that are missing, and texts outside an enumeration. Metadata and status excluded. */
export function validateBySchema(object: KubeObject, schema: StructuralSchema): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(object)) {
    const below = key === 'metadata' || key === 'status' ? undefined : schema.properties?.[key];
    if (below) validateValue(value, below, FieldPath.root(key), errors);
  }
  for (const key of schema.required ?? []) {
    const isText = schema.properties?.[key]?.type === 'string';
    const value = (object as unknown as Record<string, unknown>)[key];
    if (isText && (value === undefined || value === '')) errors.push(makeRequired(FieldPath.root(key), ''));
  }
  return errors;
}
