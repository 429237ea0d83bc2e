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

/** What Go's TrimSpace leaves. */
function trim(text: string): string {
  return text.replace(/^[\s\x85]+|[\s\x85]+$/g, '');
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

function validateFieldPath(schema: JsonSchemaProps, fieldPath: string, path: FieldPath): FieldError[] {
  if (fieldPath === '') return [];
  const errors: FieldError[] = [];
  if (trim(fieldPath) === '') errors.push(makeInvalid(path, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreaks(fieldPath)) errors.push(makeInvalid(path, fieldPath, 'must not contain line breaks'));
  const isReadable = describeUnsupported(schema) === undefined;
  if (isReadable && 'fault' in resolveFieldPath(fieldPath, schema, { allowsBrackets: true })) {
    errors.push(makeInvalid(path, fieldPath, 'must be a valid path'));
  }
  return errors;
}

/** Faults of rules that can be told without reading their expressions. */
export function validateRuleTexts(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) => {
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
    return [...errors, ...validateFieldPath(schema, fieldPath, own.child('fieldPath'))];
  });
}
