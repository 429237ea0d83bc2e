import type { FieldError } from '../errors/field-error.ts';
import { FieldPath } from '../errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired, makeTooLong } from '../errors/make-field-error.ts';
import { isPrintable } from '../errors/quote-go.ts';
import { countBytes } from './names.ts';

/** Options of a write as they came in the query or the body. */
export interface WriteRequestOptions {
  readonly fieldManager?: string;
  readonly dryRun?: readonly string[];
  readonly fieldValidation?: string;
}

/** DeleteOptions as they came. */
export interface DeleteRequestOptions {
  readonly dryRun?: readonly string[];
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
}

const MAX_FIELD_MANAGER_BYTES = 128;

/** Faults of a field manager's name: at most 128 bytes, printable. */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (countBytes(manager) > MAX_FIELD_MANAGER_BYTES) errors.push(makeTooLong(path, '', MAX_FIELD_MANAGER_BYTES));
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(makeInvalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += countBytes(character);
  }
  return errors;
}

/** Faults of `dryRun`: only `All` is known. */
function validateDryRun(dryRun: readonly string[] | undefined, path: FieldPath): FieldError[] {
  return (dryRun ?? []).every((value) => value === 'All') ? [] : [makeNotSupported(path, dryRun, ['All'])];
}

/** Faults of the options of a create or an update. */
export function validateWriteOptions(options: WriteRequestOptions): FieldError[] {
  const { fieldValidation = '' } = options;
  const known = ['', 'Ignore', 'Strict', 'Warn'];
  return [
    ...validateFieldManager(options.fieldManager ?? '', FieldPath.root('fieldManager')),
    ...validateDryRun(options.dryRun, FieldPath.root('dryRun')),
    ...(known.includes(fieldValidation)
      ? []
      : [makeNotSupported(FieldPath.root('fieldValidation'), fieldValidation, known)]),
  ];
}

/** Faults of the options of a patch: an apply needs a manager, only an apply may force. */
export function validatePatchOptions(
  options: WriteRequestOptions & { readonly force?: boolean },
  patchType: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (patchType.startsWith('application/apply-patch')) {
    if ((options.fieldManager ?? '') === '') {
      errors.push(makeRequired(FieldPath.root('fieldManager'), 'is required for apply patch'));
    }
  } else if (options.force !== undefined) {
    errors.push(makeForbidden(FieldPath.root('force'), 'may not be specified for non-apply patch'));
  }
  return [...errors, ...validateWriteOptions(options)];
}

/** Faults of DeleteOptions. */
export function validateDeleteOptions(options: DeleteRequestOptions): FieldError[] {
  const errors: FieldError[] = [];
  const { propagationPolicy } = options;
  const path = FieldPath.root('propagationPolicy');
  if (options.orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(makeInvalid(path, propagationPolicy, detail));
  }
  const known = ['Foreground', 'Background', 'Orphan'];
  if (propagationPolicy !== undefined && !known.includes(propagationPolicy)) {
    errors.push(makeNotSupported(path, propagationPolicy, [...known, 'nil']));
  }
  return [...errors, ...validateDryRun(options.dryRun, FieldPath.root('dryRun'))];
}
