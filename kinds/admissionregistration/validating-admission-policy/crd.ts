import { namePatterns } from '../../../core/validation/names.ts';
import { conditionFields, qualifiedNameField, wholePattern } from '../../crd-fields.ts';
import type { CrdFields, CrdNotes } from '../../crd-notes.ts';
import { expressionField, matchResourcesFields } from '../crd-match-resources.ts';
import {
  celReserved,
  MAX_AUDIT_ANNOTATIONS,
  MAX_MATCH_CONDITIONS,
  MAX_VALUE_EXPRESSION_BYTES,
  policyReasons,
} from './validate-expressions.ts';

const { dns1035Label, dns1123Subdomain } = namePatterns;
/** Characters of a value's expression, the white space around it included. */
const MAX_VALUE_EXPRESSION_LENGTH = 4 * MAX_VALUE_EXPRESSION_BYTES;
// One line, with white space of any kind around it.
const ONE_LINE = String.raw`^\s*[^\n\r]*\s*$`;

const validationFields: CrdFields = {
  'spec.validations[]': {
    required: ['expression'],
    anyOf: [
      { properties: { message: { minLength: 1 } }, required: ['message'] },
      { properties: { expression: { pattern: ONE_LINE } } },
    ],
  },
  'spec.validations[].expression': expressionField,
  'spec.validations[].message': { pattern: String.raw`^$|^\s*\S([^\n\r]*\S)?\s*$` },
  'spec.validations[].messageExpression': { pattern: String.raw`^$|\S` },
  'spec.validations[].reason': { enum: [...policyReasons] },
};

const annotationFields: CrdFields = {
  'spec.auditAnnotations': {
    maxItems: MAX_AUDIT_ANNOTATIONS,
    rules: [
      {
        rule: 'self.all(one, self.exists_one(other, other.key == one.key))',
        message: 'a key may occur once',
        reason: 'FieldValueDuplicate',
      },
    ],
  },
  'spec.auditAnnotations[]': { required: ['key', 'valueExpression'] },
  'spec.auditAnnotations[].key': wholePattern(namePatterns.namePart, 63),
  'spec.auditAnnotations[].valueExpression': {
    ...expressionField,
    maxLength: MAX_VALUE_EXPRESSION_LENGTH,
    rules: [
      {
        rule: `size(bytes(self.trim())) <= ${MAX_VALUE_EXPRESSION_BYTES}`,
        message: `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`,
        reason: 'FieldValueRequired',
      },
    ],
  },
};

const namedFields: CrdFields = {
  'spec.matchConditions': { maxItems: MAX_MATCH_CONDITIONS },
  'spec.matchConditions[]': { required: ['name', 'expression'] },
  'spec.matchConditions[].name': qualifiedNameField,
  'spec.matchConditions[].expression': expressionField,
  'spec.variables[]': { required: ['name', 'expression'] },
  'spec.variables[].name': { ...wholePattern('[_a-zA-Z][_a-zA-Z0-9]*'), not: { enum: [...celReserved] } },
  'spec.variables[].expression': expressionField,
};

/** Rules that only a compiler of expressions can hold. */
const compiledRules = [
  'validations.expression.name',
  'validations.expression.syntax',
  'validations.expression.type',
  'validations.expression.params',
  'validations.messageExpression.type',
  'validations.messageExpression.authorizer',
  'matchConditions.expression.type',
  'matchConditions.expression.variables',
  'variables.expression.name',
  'variables.expression.order',
  'auditAnnotations.valueExpression.type',
];

/** What the CustomResourceDefinition of ValidatingAdmissionPolicy says beyond the schema. */
export const validatingAdmissionPolicyCrd: CrdNotes = {
  columns: [
    {
      name: 'ParamKind',
      type: 'string',
      description: 'Kind of the parameters.',
      priority: 0,
      jsonPath: '.spec.paramKind.kind',
    },
    {
      name: 'FailurePolicy',
      type: 'string',
      description: 'Whether errors of expressions count.',
      priority: 0,
      jsonPath: '.spec.failurePolicy',
    },
    {
      name: 'Validations',
      type: 'string',
      description: 'What must hold.',
      priority: 1,
      jsonPath: '.spec.validations[*].expression',
    },
    { name: 'Age', type: 'date', description: 'Age.', priority: 0, jsonPath: '.metadata.creationTimestamp' },
  ],
  fields: {
    '': { required: ['spec'] },
    spec: {
      required: ['matchConstraints'],
      rules: [
        {
          rule:
            '(has(self.validations) && size(self.validations) > 0) || ' +
            '(has(self.auditAnnotations) && size(self.auditAnnotations) > 0)',
          message: 'validations or auditAnnotations must contain at least one item',
          reason: 'FieldValueRequired',
          fieldPath: '.validations',
        },
      ],
    },
    'spec.failurePolicy': { default: 'Fail' },
    'spec.paramKind': { required: ['apiVersion', 'kind'] },
    'spec.paramKind.apiVersion': {
      ...wholePattern(`((${dns1123Subdomain})?/)?${dns1035Label}`),
      allOf: [{ pattern: '^([^/]{0,253}/)?[^/]{1,63}$' }],
    },
    'spec.paramKind.kind': wholePattern('[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?', 63),
    'spec.matchConstraints': { required: ['resourceRules'] },
    ...matchResourcesFields('spec.matchConstraints'),
    'spec.matchConstraints.resourceRules': { minItems: 1, maxItems: 100 },
    ...validationFields,
    ...annotationFields,
    ...namedFields,
    'status.typeChecking.expressionWarnings[]': { required: ['fieldRef', 'warning'] },
    'status.typeChecking.expressionWarnings[].fieldRef': {
      pattern: String.raw`\S`,
      // The last bracket, if any, is a closing one.
      allOf: [{ pattern: String.raw`(?s)^([^\[]*|.*\][^\[]*)$` }],
    },
    'status.typeChecking.expressionWarnings[].warning': { minLength: 1 },
    ...conditionFields('status.conditions'),
  },
  exceptions: compiledRules.map((rule) => ({
    rule: `ValidatingAdmissionPolicy.spec.${rule}`,
    effect: 'not-refused',
    reason: 'no definition can compile an expression; the failurePolicy of a stored policy says what that means',
  })),
};
