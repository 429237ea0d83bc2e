import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported } from '../../../core/errors/make-field-error.ts';
import type { JsonSchemaProps } from './custom-resource-definition.ts';
import { FaultList } from './fault-list.ts';
import { itemScope, propertyScope, valueScope, type RuleScope } from './rule-scope.ts';
import { requireType, validateListSchema, validateMapKeys } from './validate-list-schema.ts';
import { validateRuleTexts } from './validate-rule-texts.ts';
import { validateRules } from './validate-rules.ts';

/** Faults of schemas and those of their rules, which come after. */
export interface SchemaErrors {
  readonly schemaErrors: FieldError[];
  readonly ruleErrors: FieldError[];
}

/** What holds for a schema because of those around it. */
interface Surroundings {
  /** Words of why no default may stand here; absent: one may. */
  readonly noDefaults?: string;
  readonly isInMetadata: boolean;
  /** The outermost schema within which old and new values cannot be told to belong together; absent: they can. */
  readonly uncorrelatedPath?: FieldPath;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const metadataFields = new Set(['metadata', 'kind', 'apiVersion']);

/** A walk through one schema of a definition; `root` is the scope of its rules, absent while they are not looked at. */
export function validateOpenApiSchema(
  schema: JsonSchemaProps,
  path: FieldPath,
  root: RuleScope | undefined,
): SchemaErrors {
  const walk = new SchemaWalk();
  walk.visit(schema, path, { isInMetadata: false }, true, root);
  return { schemaErrors: walk.schemaFaults.errors, ruleErrors: walk.ruleFaults.errors };
}

class SchemaWalk {
  readonly schemaFaults = new FaultList();
  readonly ruleFaults = new FaultList();

  visit(
    schema: JsonSchemaProps,
    path: FieldPath,
    around: Surroundings,
    isRoot: boolean,
    scope: RuleScope | undefined,
  ): void {
    const { errors } = this.schemaFaults;
    const faultsBefore = errors.length;
    this.schemaFaults.addAll(validateFields(schema, path, around));
    this.#visitValues(schema, path, around, scope);
    this.#visitProperties(schema, path, around, isRoot, scope);
    this.#visitJunctors(schema, path, around);
    this.#visitItems(schema, path, around, scope);
    if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
      const own = path.child('x-kubernetes-preserve-unknown-fields');
      this.schemaFaults.add(makeInvalid(own, false, 'must be true or undefined'));
    }
    this.schemaFaults.addAll(validateMapType(schema, path));
    this.schemaFaults.addAll(validateListSchema(schema, path));
    this.schemaFaults.addAll(validateMapKeys(schema, path));
    this.schemaFaults.addAll(validateRuleTexts(schema, path));
    // What is wrong with the schema would make rules wrong in ways that help nobody.
    if (errors.length === faultsBefore && scope !== undefined) {
      this.ruleFaults.addAll(validateRules(schema, path, scope, around.uncorrelatedPath));
    }
  }

  #visitValues(schema: JsonSchemaProps, path: FieldPath, around: Surroundings, scope: RuleScope | undefined): void {
    const { additionalProperties } = schema;
    if (additionalProperties === undefined) return;
    const own = path.child('additionalProperties');
    if (Object.keys(schema.properties ?? {}).length > 0 && additionalProperties !== true) {
      this.schemaFaults.add(makeForbidden(own, 'additionalProperties and properties are mutual exclusive'));
    }
    if (typeof additionalProperties !== 'object') return;
    const noDefaults = 'inside additionalProperties applying to object metadata';
    const inner = around.isInMetadata ? { ...around, noDefaults } : around;
    this.visit(additionalProperties, own, inner, false, scope && valueScope(scope, additionalProperties));
  }

  #visitProperties(
    schema: JsonSchemaProps,
    path: FieldPath,
    around: Surroundings,
    isRoot: boolean,
    scope: RuleScope | undefined,
  ): void {
    const { properties = {} } = schema;
    const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
    for (const key of Object.keys(properties).sort()) {
      const property = properties[key];
      if (property === undefined) continue;
      let inner = around;
      if (isResource && metadataFields.has(key)) {
        inner = { ...inner, isInMetadata: true, ...(isRoot ? { noDefaults: `in top-level ${key}` } : {}) };
      }
      const own = path.child('properties').key(key);
      this.visit(property, own, inner, false, scope && propertyScope(scope, key, property));
    }
  }

  #visitJunctors(schema: JsonSchemaProps, path: FieldPath, around: Surroundings): void {
    const visit = (part: JsonSchemaProps, own: FieldPath): void => {
      this.visit(part, own, around, false, undefined);
    };
    if (schema.not !== undefined) visit(schema.not, path.child('not'));
    for (const key of ['allOf', 'oneOf', 'anyOf'] as const) {
      for (const [index, part] of (schema[key] ?? []).entries()) visit(part, path.child(key).index(index));
    }
    for (const [key, part] of Object.entries(schema.definitions ?? {})) visit(part, path.child('definitions').key(key));
    for (const [key, part] of Object.entries(schema.dependencies ?? {})) {
      if (part === null || Array.isArray(part)) continue;
      visit(part as JsonSchemaProps, path.child('dependencies').key(key));
    }
  }

  #visitItems(schema: JsonSchemaProps, path: FieldPath, around: Surroundings, scope: RuleScope | undefined): void {
    const { items } = schema;
    if (items === undefined || items === null) return;
    const inner = schema['x-kubernetes-list-type'] === 'map' ? around : forbidOldSelf(around, path);
    const own = path.child('items');
    const list = Array.isArray(items) ? (items as readonly JsonSchemaProps[]) : undefined;
    const single = list === undefined ? (items as JsonSchemaProps) : undefined;
    if (single !== undefined) {
      this.visit(single, own, inner, false, scope && itemScope(scope, single));
    }
    for (const [index, item] of (list ?? []).entries()) {
      this.visit(item, own.index(index), inner, false, scope && itemScope(scope, item));
    }
  }
}

function forbidOldSelf(around: Surroundings, path: FieldPath): Surroundings {
  return around.uncorrelatedPath === undefined ? { ...around, uncorrelatedPath: path } : around;
}

/** Fields that no schema may have here. */
function validateFields(schema: JsonSchemaProps, path: FieldPath, around: Surroundings): FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (key: string, detail: string): void => void errors.push(makeForbidden(path.child(key), detail));
  const { type = '' } = schema;
  if (type !== '' && !types.includes(type)) errors.push(makeNotSupported(path.child('type'), type, types));
  if (schema.default !== undefined && around.noDefaults !== undefined) {
    forbid('default', `must not be set ${around.noDefaults}`);
  }
  if ((schema.id ?? '') !== '') forbid('id', 'id is not supported');
  if (schema.additionalItems !== undefined) forbid('additionalItems', 'additionalItems is not supported');
  for (const key of ['patternProperties', 'definitions', 'dependencies'] as const) {
    if (Object.keys(schema[key] ?? {}).length > 0) forbid(key, `${key} is not supported`);
  }
  if (schema.$ref !== undefined) forbid('$ref', '$ref is not supported');
  if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    forbid('items', 'items must be a schema object and not an array');
  }
  if (around.isInMetadata && schema['x-kubernetes-embedded-resource'] === true) {
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  if (schema.uniqueItems === true) {
    forbid('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  }
  return errors;
}

function validateMapType(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const errors = requireType(schema, 'object', 'x-kubernetes-map-type', path);
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(makeNotSupported(path.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  }
  return errors;
}
