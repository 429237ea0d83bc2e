import type { FieldError } from '../../core/errors/field-error.ts';
import type { FieldPath } from '../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../core/errors/make-field-error.ts';
import { validateLabelSelector, type LabelSelector } from '../../core/selectors/label-selector.ts';
import { checkPercent } from '../../core/validation/names.ts';
import { makeInvalids } from '../core/pod-spec/validate-choice.ts';
import { readObject } from '../workloads/read-field.ts';

/** A whole number, or the number of a percentage. */
export function readIntOrPercent(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && checkPercent(value).length === 0 ? Number.parseInt(value, 10) : 0;
}

/** Faults of a number that is not negative, or a percentage. */
export function validateIntOrPercent(value: unknown, path: FieldPath): FieldError[] {
  if (typeof value === 'string') return makeInvalids(path, value, checkPercent(value));
  if (typeof value !== 'number' || value >= 0) return [];
  return [makeInvalid(path, value, 'must be greater than or equal to 0')];
}

/** Faults of a percentage that means more than everything. */
export function validateAtMostAll(value: unknown, path: FieldPath): FieldError[] {
  const isPercent = typeof value === 'string' && checkPercent(value).length === 0;
  if (!isPercent || readIntOrPercent(value) <= 100) return [];
  return [makeInvalid(path, value, 'must not be greater than 100%')];
}

/** Faults of the selector that a controller finds its pods by; `kind` is the controller's, in lower case. */
export function validateControllerSelector(spec: unknown, kind: string, path: FieldPath): FieldError[] {
  const selector = readObject(spec, 'selector') as LabelSelector | undefined;
  const own = path.child('selector');
  if (selector === undefined) return [makeRequired(own, '')];
  const errors = validateLabelSelector(selector, own);
  if (isEmptySelector(selector)) errors.push(makeInvalid(own, selector, `empty selector is invalid for ${kind}`));
  return errors;
}

/**
 * Faults of a pod template, which is only looked at beside a selector that could match it: an invalid selector is
 * refused once more instead, with `detail`.
 */
export function validateSelectedTemplate(
  selector: LabelSelector | undefined,
  path: FieldPath,
  detail: string,
  validateTemplate: () => FieldError[],
): FieldError[] {
  const own = path.child('selector');
  if (selector === undefined || validateLabelSelector(selector, own).length === 0) return validateTemplate();
  return [makeInvalid(own, selector, detail)];
}

/** Whether a selector matches everything. */
export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
}
