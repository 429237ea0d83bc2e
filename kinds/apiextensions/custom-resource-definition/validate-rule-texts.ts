import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { JsonSchemaProps, ValidationRule } from './custom-resource-definition.ts';
import { describeUnsupported } from './describe-unsupported.ts';
import { resolveFieldPath } from './resolve-field-path.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

function hasLineBreaks(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** White space to Go, which has one more than JavaScript, and one less. */
function isSpace(character: string | undefined): boolean {
  return character !== undefined && character !== '\uFEFF' && (character === '\x85' || /\s/.test(character));
}

/** What Go's TrimSpace leaves. */
function trim(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isSpace(text[from])) from++;
  while (to > from && isSpace(text[to - 1])) to--;
  return text.slice(from, to);
}

function validateRuleAndMessage({ rule, message = '' }: ValidationRule, path: FieldPath): FieldError[] {
  const [trimmedRule, trimmedMessage] = [trim(rule), trim(message)];
  if (trimmedRule === '') return [makeRequired(path.child('rule'), 'rule is not specified')];
  const own = path.child('message');
  if (message !== '' && trimmedMessage === '') return [makeInvalid(own, message, 'must be non-empty if specified')];
  if (hasLineBreaks(trimmedMessage)) return [makeInvalid(own, message, 'must not contain line breaks')];
  if (hasLineBreaks(trimmedRule) && trimmedMessage === '') {
    return [makeRequired(own, 'message must be specified if rule contains line breaks')];
  }
  return [];
}

function validateFieldPath(
  schema: JsonSchemaProps,
  isReadable: boolean,
  fieldPath: string,
  path: FieldPath,
): FieldError[] {
  if (fieldPath === '') return [];
  const errors: FieldError[] = [];
  if (trim(fieldPath) === '') errors.push(makeInvalid(path, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreaks(fieldPath)) errors.push(makeInvalid(path, fieldPath, 'must not contain line breaks'));
  if (isReadable && 'fault' in resolveFieldPath(fieldPath, schema, { allowsBrackets: true })) {
    errors.push(makeInvalid(path, fieldPath, 'must be a valid path'));
  }
  return errors;
}

/** Faults of rules that can be told without reading their expressions. */
export function validateRuleTexts(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const hasPaths = rules.some(({ fieldPath = '' }) => fieldPath !== '');
  const isReadable = hasPaths && describeUnsupported(schema) === undefined;
  return rules.flatMap((rule, index) => {
    const own = path.child('x-kubernetes-validations').index(index);
    const errors = validateRuleAndMessage(rule, own);
    const { messageExpression = '', reason, fieldPath = '' } = rule;
    if (messageExpression !== '' && trim(messageExpression) === '') {
      const detail = 'messageExpression must be non-empty if specified';
      errors.push(makeRequired(own.child('messageExpression'), detail));
    }
    if (reason !== undefined && !reasons.includes(reason)) {
      errors.push(makeNotSupported(own.child('reason'), reason, reasons));
    }
    return [...errors, ...validateFieldPath(schema, isReadable, fieldPath, own.child('fieldPath'))];
  });
}
