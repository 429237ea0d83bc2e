import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { checkDns1123Subdomain } from '../../../core/validation/names.ts';
import { deriveSchema } from '../../derive-schema.ts';
import { showGoStruct } from '../../show-go-struct.ts';
import { validateFlowConditions } from '../flow-conditions.ts';
import { mandatoryFlowSchemas } from './mandatory.ts';
import { flowSchemaSpecSchema } from './schema.ts';
import type { FlowSchema, FlowSchemaSpec } from './schema.ts';
import { validatePolicyRules } from './validate-rules.ts';

const MAX_MATCHING_PRECEDENCE = 10000;
const specShape = deriveSchema(flowSchemaSpecSchema);
const distinguisherMethods = ['ByNamespace', 'ByUser'];

function validatePrecedence(precedence: number, name: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (precedence <= 0) errors.push(makeInvalid(path, precedence, 'must be a positive value'));
  if (precedence > MAX_MATCHING_PRECEDENCE) {
    errors.push(makeInvalid(path, precedence, `must not be greater than ${MAX_MATCHING_PRECEDENCE}`));
  }
  if (precedence === 1 && name !== 'exempt') {
    errors.push(makeInvalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  return errors;
}

function validateSpec(spec: FlowSchemaSpec, name: string, path: FieldPath): FieldError[] {
  const { distinguisherMethod } = spec;
  const errors = validatePrecedence(spec.matchingPrecedence, name, path.child('matchingPrecedence'));
  if (distinguisherMethod !== undefined && !distinguisherMethods.includes(distinguisherMethod.type)) {
    const shown = { Type: distinguisherMethod.type };
    errors.push(makeNotSupported(path.child('distinguisherMethod', 'type'), shown, distinguisherMethods));
  }
  const levelName = spec.priorityLevelConfiguration.name;
  const levelPath = path.child('priorityLevelConfiguration', 'name');
  if (levelName === '') errors.push(makeRequired(levelPath, 'must reference a priority level'));
  else errors.push(...checkDns1123Subdomain(levelName).map((fault) => makeInvalid(levelPath, levelName, fault)));
  const rulesPath = path.child('rules');
  return [...errors, ...(spec.rules ?? []).flatMap((rules, i) => validatePolicyRules(rules, rulesPath.index(i)))];
}

/** The parts of a spec that count, in one text: whether two specs are the same. */
function printSpec(spec: FlowSchemaSpec): string {
  return JSON.stringify(showGoStruct(spec, specShape));
}

/** Faults of a schema, new or changed ("FlowSchema"). The specs of the mandatory ones are fixed. */
export function validateFlowSchema(schema: FlowSchema): FieldError[] {
  const path = FieldPath.root('spec');
  const name = schema.metadata.name ?? '';
  const errors = validateSpec(schema.spec, name, path);
  const mandatory = mandatoryFlowSchemas.get(name);
  if (mandatory !== undefined && printSpec(schema.spec) !== printSpec(mandatory)) {
    const shown = showGoStruct(schema.spec, specShape);
    errors.push(makeInvalid(path, shown, `spec of '${name}' must equal the fixed value`));
  }
  return [...errors, ...validateFlowSchemaStatus(schema)];
}

/** Faults of a schema's status. */
export function validateFlowSchemaStatus({ status }: FlowSchema): FieldError[] {
  return validateFlowConditions(status.conditions, FieldPath.root('status', 'conditions'));
}
