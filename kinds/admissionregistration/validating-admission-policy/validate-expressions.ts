import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import {
  makeDuplicate,
  makeInvalid,
  makeNotSupported,
  makeRequired,
  makeTooMany,
} from '../../../core/errors/make-field-error.ts';
import { checkQualifiedName, countBytes } from '../../../core/validation/names.ts';
import { showGoStruct } from '../../show-go-struct.ts';
import { deriveSchema } from '../../derive-schema.ts';
import type { ExpressionChecker } from './expression-checker.ts';
import { auditAnnotationSchema } from './schema.ts';
import type { AuditAnnotation, MatchCondition, PolicyValidation, PolicyVariable } from './schema.ts';

/** The most match conditions of a policy. */
export const MAX_MATCH_CONDITIONS = 64;
/** The most audit annotations of a policy. */
export const MAX_AUDIT_ANNOTATIONS = 20;
/** The longest expression of an audit annotation's value, in bytes of UTF-8. */
export const MAX_VALUE_EXPRESSION_BYTES = 5 * 1024;
const annotationShape = deriveSchema(auditAnnotationSchema);
/** Reasons that a validation may give. */
export const policyReasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const CEL_IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
/** Words that CEL keeps for itself. */
export const celReserved: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
);

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text.trim());
}

/** Faults of the match conditions: at most 64, each with an expression and a name of its own. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  path: FieldPath,
  checker: ExpressionChecker,
): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  if (conditions.length > MAX_MATCH_CONDITIONS) {
    errors.push(makeTooMany(path, conditions.length, MAX_MATCH_CONDITIONS));
  }
  for (const [i, { name, expression }] of conditions.entries()) {
    const namePath = path.index(i).child('name');
    const expressionPath = path.index(i).child('expression');
    if (isBlank(expression)) errors.push(makeRequired(expressionPath, ''));
    else errors.push(...checker.checkCondition(expression, expressionPath));
    if (name === '') {
      errors.push(makeRequired(namePath, ''));
      continue;
    }
    errors.push(...checkQualifiedName(name).map((fault) => makeInvalid(namePath, name, fault)));
    if (names.has(name)) errors.push(makeDuplicate(namePath, name));
    names.add(name);
  }
  return errors;
}

/** Faults of the variables: each needs an expression, and a CEL identifier as its name that no other has. */
export function validateVariables(
  variables: readonly PolicyVariable[],
  path: FieldPath,
  checker: ExpressionChecker,
): FieldError[] {
  const names = new Set<string>();
  return variables.flatMap(({ name, expression }, i) => {
    const namePath = path.index(i).child('name');
    const errors: FieldError[] = [];
    if (isBlank(name)) errors.push(makeRequired(namePath, 'name is not specified'));
    else if (!CEL_IDENTIFIER.test(name) || celReserved.has(name)) {
      errors.push(makeInvalid(namePath, name, 'must be a valid CEL identifier'));
    } else if (names.has(name)) errors.push(makeDuplicate(namePath, name));
    names.add(name);
    const expressionPath = path.index(i).child('expression');
    if (isBlank(expression)) errors.push(makeRequired(expressionPath, 'expression is not specified'));
    else errors.push(...checker.checkVariable(name, expression, expressionPath));
    return errors;
  });
}

function validateMessage(validation: PolicyValidation, path: FieldPath): FieldError[] {
  const { expression, message = '' } = validation;
  if (message !== '' && isBlank(message)) return [makeInvalid(path, message, 'must be non-empty if specified')];
  if (hasLineBreak(message)) return [makeInvalid(path, message, 'must not contain line breaks')];
  if (message === '' && hasLineBreak(expression)) {
    return [makeRequired(path, 'message must be specified if expression contains line breaks')];
  }
  return [];
}

/** Faults of one validation. */
export function validateValidation(
  validation: PolicyValidation,
  path: FieldPath,
  checker: ExpressionChecker,
): FieldError[] {
  const { expression, messageExpression = '', reason } = validation;
  const errors: FieldError[] = [];
  const expressionPath = path.child('expression');
  const messagePath = path.child('messageExpression');
  if (isBlank(expression)) errors.push(makeRequired(expressionPath, 'expression is not specified'));
  else errors.push(...checker.checkValidation(expression, expressionPath));
  if (messageExpression !== '' && isBlank(messageExpression)) {
    errors.push(makeInvalid(messagePath, messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    errors.push(...checker.checkMessage(messageExpression, messagePath));
  }
  errors.push(...validateMessage(validation, path.child('message')));
  if (reason !== undefined && !policyReasons.includes(reason)) {
    errors.push(makeNotSupported(path.child('reason'), reason, policyReasons));
  }
  return errors;
}

function validateAuditAnnotation(
  annotation: AuditAnnotation,
  policyName: string,
  path: FieldPath,
  checker: ExpressionChecker,
): FieldError[] {
  const { key, valueExpression } = annotation;
  const keyPath = path.child('key');
  const valuePath = path.child('valueExpression');
  const fullKey = `${policyName}/${key}`;
  const errors =
    policyName === ''
      ? [makeInvalid(keyPath, key, 'requires metadata.name be non-empty')]
      : checkQualifiedName(fullKey).map((fault) => makeInvalid(keyPath, fullKey, fault));
  if (isBlank(valueExpression)) errors.push(makeRequired(valuePath, 'valueExpression is not specified'));
  else if (countBytes(valueExpression.trim()) > MAX_VALUE_EXPRESSION_BYTES) {
    errors.push(makeRequired(valuePath, `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`));
  } else {
    errors.push(...checker.checkAnnotation(valueExpression, valuePath));
  }
  return errors;
}

/** Faults of the audit annotations: at most 20, with keys that are qualified names once the policy's name is put before. */
export function validateAuditAnnotations(
  annotations: readonly AuditAnnotation[],
  policyName: string,
  path: FieldPath,
  checker: ExpressionChecker,
): FieldError[] {
  const errors: FieldError[] = [];
  const keys = new Set<string>();
  if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
    const shown = annotations.map((annotation) => showGoStruct({ ...annotation }, annotationShape));
    errors.push(makeInvalid(path, shown, `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`));
  }
  for (const [i, annotation] of annotations.entries()) {
    errors.push(...validateAuditAnnotation(annotation, policyName, path.index(i), checker));
    if (keys.has(annotation.key)) errors.push(makeDuplicate(path.index(i).child('key'), annotation.key));
    keys.add(annotation.key);
  }
  return errors;
}
