import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid } from '../../../core/errors/make-field-error.ts';
import type { JsonSchemaProps } from './custom-resource-definition.ts';
import { describeUnsupported } from './describe-unsupported.ts';
import { makeRootScope, maxTotalCost, type KnownRules, type RuleScope } from './rule-scope.ts';
import { listSetFields, showInternalSchema } from './show-internal.ts';
import { validateOpenApiSchema } from './validate-open-api.ts';
import { describeExcess } from './validate-rules.ts';
import { validateSchemaDefaults } from './validate-schema-defaults.ts';
import { validateStructural } from './validate-structural.ts';

/** Fields of a root that keep their meaning when the status is taken out of it, by Go's names. */
const rootFields = [
  ...['Description', 'Type', 'Format', 'Title', 'Maximum', 'ExclusiveMaximum', 'Minimum', 'ExclusiveMinimum'],
  ...['MaxLength', 'MinLength', 'Pattern', 'MaxItems', 'MinItems', 'UniqueItems', 'MultipleOf', 'Required', 'Items'],
  ...['Properties', 'ExternalDocs', 'Example', 'XPreserveUnknownFields', 'XValidations'],
];

/** The first fault of a root from which a status subresource is taken. */
function validateRootWithStatus(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const because = 'at the root of the schema if the status subresource is enabled';
  for (const field of listSetFields(schema)) {
    if (field === 'Type' && schema.type !== 'object') {
      const detail = `only "object" is allowed as the type ${because}`;
      return [makeInvalid(path.child('type'), schema.type, detail)];
    }
    if (!rootFields.includes(field)) {
      const detail = `only [${rootFields.join(' ')}] fields are allowed ${because}`;
      return [makeInvalid(path, showInternalSchema(schema), detail)];
    }
  }
  return [];
}

function validateTotalCost({ costs }: RuleScope, path: FieldPath): FieldError[] {
  if (costs.total <= maxTotalCost) return [];
  const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...costs.mostExpensive.map((rule) => makeForbidden(FieldPath.root(rule.path), detail)),
    makeForbidden(path, describeExcess(name, costs.total, maxTotalCost)),
  ];
}

/** Faults of a schema as the structure of values, and of its defaults when there are no others. */
function validateStructure(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const errors = validateStructural(schema, path);
  return errors.length > 0 ? errors : validateSchemaDefaults(schema, path);
}

/** Faults of the schema of a kind; `path` is that of what holds it. */
export function validateSchema(
  schema: JsonSchemaProps,
  hasStatus: boolean,
  known: KnownRules,
  path: FieldPath,
): FieldError[] {
  const own = path.child('openAPIV3Schema');
  const errors = hasStatus ? validateRootWithStatus(schema, own) : [];
  if (schema.nullable === true)
    errors.push(makeForbidden(own.child('nullable'), 'nullable cannot be true at the root'));
  const unsupported = describeUnsupported(schema);
  const unfit = unsupported === undefined ? validateStructure(schema, own) : [];
  const isFit = unsupported === undefined && unfit.length === 0;
  const scope = isFit ? makeRootScope(schema, known) : undefined;
  const { schemaErrors, ruleErrors } = validateOpenApiSchema(schema, own, scope);
  const all = [...errors, ...unfit, ...schemaErrors, ...ruleErrors];
  if (all.length === 0 && unsupported !== undefined) all.push(makeInvalid(own, '', unsupported));
  return scope === undefined ? all : [...all, ...validateTotalCost(scope, own)];
}
