import type { FieldError } from '../../core/errors/field-error.ts';
import type { FieldPath } from '../../core/errors/field-path.ts';
import { makeInvalid } from '../../core/errors/make-field-error.ts';
import { deepEqual } from '../../core/meta/deep.ts';
import { readField } from './read-field.ts';

/** Faults of a value that may not change once it is set; absent and null are the same. */
export function validateImmutable(value: unknown, old: unknown, path: FieldPath): FieldError[] {
  if (deepEqual(value ?? null, old ?? null)) return [];
  return [makeInvalid(path, value ?? null, 'field is immutable')];
}

/** Faults of fields of an object that may not change. */
export function validateImmutableFields(
  object: unknown,
  old: unknown,
  keys: readonly string[],
  path: FieldPath,
): FieldError[] {
  return keys.flatMap((key) => validateImmutable(readField(object, key), readField(old, key), path.child(key)));
}
