import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { parseApiVersion } from '../../../core/meta/resource-name.ts';
import { checkPathSegmentName } from '../../../core/validation/names.ts';
import { makeInvalids } from '../../core/pod-spec/validate-choice.ts';
import { readText } from '../../workloads/read-field.ts';

/** What the apiVersion of a reference may be. */
export interface ReferenceRules {
  readonly allowsEmptyGroup: boolean;
  /** Whether it may be anything, since it was there before. */
  readonly allowsAnyVersion: boolean;
}

/** Why the apiVersion of a reference cannot be; `undefined` when it can. */
export function findVersionFault(reference: unknown, rules: ReferenceRules): string | undefined {
  if (rules.allowsAnyVersion) return undefined;
  const apiVersion = readText(reference, 'apiVersion');
  const parsed = apiVersion === '/' ? { group: '' } : parseApiVersion(apiVersion);
  if (parsed === undefined) return `unexpected GroupVersion string: ${apiVersion}`;
  return parsed.group === '' && !rules.allowsEmptyGroup ? 'apiVersion must specify API group' : undefined;
}

/** Faults of a text that becomes a part of a path; `missing` says what is required. */
export function validateSegment(text: string, path: FieldPath, missing: string): FieldError[] {
  if (text === '') return [makeRequired(path, missing)];
  return makeInvalids(path, text, checkPathSegmentName(text, false));
}

/** Faults of a reference to an object of any kind. */
export function validateObjectReference(reference: unknown, path: FieldPath, rules: ReferenceRules): FieldError[] {
  const fault = findVersionFault(reference, rules);
  return [
    ...validateSegment(readText(reference, 'kind'), path.child('kind'), ''),
    ...validateSegment(readText(reference, 'name'), path.child('name'), ''),
    ...(fault === undefined ? [] : [makeInvalid(path.child('apiVersion'), readText(reference, 'apiVersion'), fault)]),
  ];
}
