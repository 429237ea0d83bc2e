import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid } from '../../../core/errors/make-field-error.ts';
import { checkDns1035Label } from '../../../core/validation/names.ts';
import type { DefinedNames } from './custom-resource-definition.ts';

function validateLabel(name: string | undefined, path: FieldPath): FieldError[] {
  if (name === undefined || name === '') return [];
  const faults = checkDns1035Label(name);
  return faults.length === 0 ? [] : [makeInvalid(path, name, faults.join(','))];
}

function validateKind(kind: string | undefined, path: FieldPath): FieldError[] {
  const faults = kind === undefined || kind === '' ? [] : checkDns1035Label(kind.toLowerCase());
  if (faults.length === 0) return [];
  return [makeInvalid(path, kind, `may have mixed case, but should otherwise match: ${faults.join(',')}`)];
}

function validateLabels(names: readonly string[] | undefined, path: FieldPath): FieldError[] {
  return (names ?? []).flatMap((name, index) => {
    const faults = checkDns1035Label(name);
    return faults.length === 0 ? [] : [makeInvalid(path.index(index), name, faults.join(','))];
  });
}

/** Faults of names, wanted or accepted; those that are empty have none. */
export function validateDefinedNames(names: Partial<DefinedNames>, path: FieldPath): FieldError[] {
  const { kind = '', listKind } = names;
  const isSame = kind !== '' && kind === listKind;
  return [
    ...validateLabel(names.plural, path.child('plural')),
    ...validateLabel(names.singular, path.child('singular')),
    ...validateKind(kind, path.child('kind')),
    ...validateKind(listKind, path.child('listKind')),
    ...validateLabels(names.shortNames, path.child('shortNames')),
    ...(isSame ? [makeInvalid(path.child('listKind'), listKind, 'kind and listKind may not be the same')] : []),
    ...validateLabels(names.categories, path.child('categories')),
  ];
}
