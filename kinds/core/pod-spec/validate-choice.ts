import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { checkRange } from '../../../core/validation/names.ts';
import { readNumber, readText } from '../../workloads/read-field.ts';

/** Faults of a required text that is one of a few. `supported` is listed in the order given. */
export function validateChoice(
  owner: unknown,
  key: string,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  const value = readText(owner, key);
  if (value === '') return [makeRequired(path.child(key), '')];
  return supported.includes(value) ? [] : [makeNotSupported(path.child(key), value, supported)];
}

/** Faults of an optional text that is one of a few. */
export function validateOptionalChoice(
  owner: unknown,
  key: string,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  return readText(owner, key) === '' ? [] : validateChoice(owner, key, supported, path);
}

/** Faults of a required text. */
export function validatePresent(owner: unknown, key: string, path: FieldPath): FieldError[] {
  return readText(owner, key) === '' ? [makeRequired(path.child(key), '')] : [];
}

/** One error for each fault of a value. */
export function makeInvalids(path: FieldPath, value: unknown, faults: readonly string[]): FieldError[] {
  return faults.map((fault) => makeInvalid(path, value, fault));
}

/** Faults of an optional number that may not be negative. */
export function validateNonnegative(owner: unknown, key: string, path: FieldPath): FieldError[] {
  const value = readNumber(owner, key);
  if (value === undefined || value >= 0) return [];
  return [makeInvalid(path.child(key), value, 'must be greater than or equal to 0')];
}

/** Faults of an optional number outside a range, its ends included. */
export function validateRange(owner: unknown, key: string, low: number, high: number, path: FieldPath): FieldError[] {
  const value = readNumber(owner, key);
  return value === undefined ? [] : makeInvalids(path.child(key), value, checkRange(value, low, high));
}
