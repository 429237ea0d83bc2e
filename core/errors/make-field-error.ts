import { formatDouble } from '../cel/values/format-double.ts';
import type { FieldError, FieldErrorType } from './field-error.ts';
import type { FieldPath } from './field-path.ts';
import { formatGoJson, quoteGo } from './quote-go.ts';

const TYPE_TEXTS: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  InternalError: 'Internal error',
  FieldValueTypeInvalid: 'Invalid value',
};

/** A malformed value: it breaks a rule that `detail` names. */
export function makeInvalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: path.toString(), value, detail };
}

/** A missing value; `detail` may be empty. */
export function makeRequired(path: FieldPath, detail: string): FieldError {
  return { type: 'FieldValueRequired', field: path.toString(), detail };
}

/** A value that must be unique and occurs again. */
export function makeDuplicate(path: FieldPath, value: unknown): FieldError {
  return { type: 'FieldValueDuplicate', field: path.toString(), value, detail: '' };
}

/** A value outside an enumeration; `supported` is listed in the order given, nothing when empty. */
export function makeNotSupported(path: FieldPath, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quoteGo).join(', ')}`;
  return { type: 'FieldValueNotSupported', field: path.toString(), value, detail };
}

/** A well-formed value that is not permitted here. */
export function makeForbidden(path: FieldPath, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field: path.toString(), detail };
}

/** A value longer than `maxLength` bytes; the value itself is never shown. A negative `maxLength` is not named. */
export function makeTooLong(path: FieldPath, _value: unknown, maxLength: number): FieldError {
  const detail =
    maxLength < 0 ? 'value is too long' : `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`;
  return { type: 'FieldValueTooLong', field: path.toString(), detail };
}

/** A list of `actual` items where `max` are allowed; a negative number is not shown. */
export function makeTooMany(path: FieldPath, actual: number, max: number): FieldError {
  const detail = max < 0 ? 'has too many items' : `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { type: 'FieldValueTooMany', field: path.toString(), ...(actual < 0 ? {} : { value: actual }), detail };
}

/** A value that refers to something absent. */
export function makeNotFound(path: FieldPath, value: unknown): FieldError {
  return { type: 'FieldValueNotFound', field: path.toString(), value, detail: '' };
}

/** A value of another type than the schema's. */
export function makeTypeInvalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueTypeInvalid', field: path.toString(), value, detail };
}

/** A fault that is not the user's. */
export function makeInternal(path: FieldPath, detail: string): FieldError {
  return { type: 'InternalError', field: path.toString(), detail };
}

function formatSubject(error: FieldError): string {
  const text = TYPE_TEXTS[error.type];
  switch (error.type) {
    case 'FieldValueRequired':
    case 'FieldValueForbidden':
    case 'FieldValueTooLong':
    case 'InternalError':
      return text;
    case 'FieldValueTooMany':
      return error.value === undefined ? text : `${text}: ${formatGoJson(error.value)}`;
    default:
      return `${text}: ${formatValue(error.value)}`;
  }
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return quoteGo(value);
  const isFraction = typeof value === 'number' && !Number.isInteger(value);
  return isFraction ? formatDouble(value) : formatGoJson(value);
}

/** The error without its field, as a Status cause's message: `Invalid value: "x": detail`. An `undefined` value prints as `null`. */
export function formatFieldErrorBody(error: FieldError): string {
  const subject = formatSubject(error);
  return error.detail === '' ? subject : `${subject}: ${error.detail}`;
}

/** The error as Kubernetes prints it: `spec.x: Invalid value: "x": detail`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${formatFieldErrorBody(error)}`;
}

/** Several error texts in one, as Go's aggregate prints them: each once, more than one in brackets. */
export function aggregateMessages(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? '') : distinct.length === 0 ? '' : `[${distinct.join(', ')}]`;
}
