import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeDuplicate, makeInvalid, makeRequired, makeTooMany } from '../../../core/errors/make-field-error.ts';
import { isPrintable } from '../../../core/errors/quote-go.ts';
import { countBytes } from '../../../core/validation/names.ts';
import type { DefinedColumn, DefinedSubresources, JsonSchemaProps } from './custom-resource-definition.ts';
import { describeUnsupported } from './describe-unsupported.ts';
import type { VersionParts } from './internal-spec.ts';
import { resolveFieldPath } from './resolve-field-path.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const selectableTypes = new Set(['string', 'boolean', 'integer']);
const maxSelectableFields = 8;
const maxWarningBytes = 256;

/** Faults of what is said of a deprecated version. */
export function validateDeprecation(isDeprecated: boolean, warning: string | undefined, path: FieldPath): FieldError[] {
  if (warning === undefined) return [];
  if (!isDeprecated) return [makeInvalid(path, warning, 'can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (countBytes(warning) > maxWarningBytes) errors.push(makeInvalid(path, warning, 'must be <= 256 characters long'));
  if (warning === '') errors.push(makeInvalid(path, warning, 'must not be an empty string'));
  let bytes = 0;
  for (const character of warning) {
    if (!isPrintable(character)) {
      const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${bytes}`;
      errors.push(makeInvalid(path, warning, detail));
      break;
    }
    bytes += countBytes(character);
  }
  return errors;
}

function validatePath(text: string, path: FieldPath, roots: readonly string[], where: string): FieldError[] {
  if (!text.startsWith('.')) return [makeInvalid(path, text, 'must be a simple json path starting with .')];
  return roots.some((root) => text.startsWith(root)) ? [] : [makeInvalid(path, text, `should be a json path ${where}`)];
}

/** Faults of subresources: where a scale reads and writes. */
export function validateSubresources(subresources: DefinedSubresources | undefined, path: FieldPath): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const errors: FieldError[] = [];
  for (const [key, root] of [
    ['specReplicasPath', '.spec.'],
    ['statusReplicasPath', '.status.'],
  ] as const) {
    const own = path.child('scale', key);
    if (scale[key] === '') errors.push(makeRequired(own, ''));
    else errors.push(...validatePath(scale[key], own, [root], `under ${root.slice(0, -1)}`));
  }
  const { labelSelectorPath = '' } = scale;
  if (labelSelectorPath !== '') {
    const own = path.child('scale', 'labelSelectorPath');
    errors.push(...validatePath(labelSelectorPath, own, ['.spec.', '.status.'], 'under either .spec or .status'));
  }
  return errors;
}

function validateColumn(column: DefinedColumn, path: FieldPath): FieldError[] {
  const { name, type, format = '', jsonPath } = column;
  const errors: FieldError[] = [];
  if (name === '') errors.push(makeRequired(path.child('name'), ''));
  const typeDetail = `must be one of ${columnTypes.join(',')}`;
  if (type === '') errors.push(makeRequired(path.child('type'), typeDetail));
  else if (!columnTypes.includes(type)) errors.push(makeInvalid(path.child('type'), type, typeDetail));
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(makeInvalid(path.child('format'), format, `must be one of ${columnFormats.join(',')}`));
  }
  const pathPath = path.child('JSONPath');
  if (jsonPath === '') errors.push(makeRequired(pathPath, ''));
  else if (!jsonPath.startsWith('.')) {
    errors.push(makeInvalid(pathPath, jsonPath, 'must be a simple json path starting with .'));
  }
  return errors;
}

/** Faults of the columns of a table. */
export function validateColumns(columns: readonly DefinedColumn[] | undefined, path: FieldPath): FieldError[] {
  return (columns ?? []).flatMap((column, index) => validateColumn(column, path.index(index)));
}

function validateSelectableField(text: string, schema: JsonSchemaProps, seen: Set<string>, path: FieldPath) {
  if (text === '') return [makeRequired(path, '')];
  const found = resolveFieldPath(text, schema, { allowsBrackets: false });
  if ('fault' in found) return [makeInvalid(path, text, `is an invalid path: ${found.fault}`)];
  const errors: FieldError[] = [];
  if (found.root === 'metadata') errors.push(makeInvalid(path, text, 'must not point to fields in metadata'));
  if (!selectableTypes.has(found.schema?.type ?? '')) {
    const types = 'string, boolean or integer. Enum string fields and strings with formats are allowed.';
    errors.push(makeInvalid(path, text, `must point to a field of type ${types}`));
  }
  const name = found.path.toString();
  if (seen.has(name)) errors.push(makeDuplicate(path, text));
  seen.add(name);
  return errors;
}

/** Faults of the fields that objects can be selected by; `missing` is said when there is no schema, and `parent` is the path of what has both. */
export function validateSelectableFields(
  { selectableFields = [], schema }: VersionParts,
  missing: string,
  parent: FieldPath,
): FieldError[] {
  const path = parent.child('selectableFields');
  if (selectableFields.length === 0) return [];
  const openApi = schema?.openAPIV3Schema;
  if (openApi === undefined) return [makeInvalid(path, '', missing)];
  const seen = new Set<string>();
  const unsupported = describeUnsupported(openApi);
  const unfit =
    unsupported === undefined ? [] : [makeInvalid(parent.child('schema', 'openAPIV3Schema'), '', unsupported)];
  const errors = selectableFields.flatMap(({ jsonPath }, index) =>
    validateSelectableField(jsonPath, openApi, seen, path.index(index).child('jsonPath')),
  );
  const tooMany = seen.size > maxSelectableFields ? [makeTooMany(path, seen.size, maxSelectableFields)] : [];
  return [...unfit, ...errors, ...tooMany];
}
