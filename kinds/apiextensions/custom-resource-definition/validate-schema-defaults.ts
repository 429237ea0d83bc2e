import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { aggregateMessages, formatFieldError, makeInvalid } from '../../../core/errors/make-field-error.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import { isJsonObject, setOwn, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import { coerceEmbeddedMetadata } from '../custom-resource/decode/coerce-metadata.ts';
import { pruneUnknownFields } from '../custom-resource/decode/prune-unknown-fields.ts';
import { buildRules } from '../custom-resource/rules/rule-node.ts';
import { objectCostLimit, runRules } from '../custom-resource/rules/run-rules.ts';
import { asResource, typeAndMetadata } from '../custom-resource/schema-parts.ts';
import { sortKeys } from '../custom-resource/sort-keys.ts';
import { toFieldErrors } from '../custom-resource/validate/schema-result.ts';
import { validateBySchema, type FormattedSchema } from '../custom-resource/validate/validate-by-schema.ts';
import { validateEmbeddedResources } from '../custom-resource/validate/validate-embedded-resources.ts';
import type { JsonSchemaProps } from './custom-resource-definition.ts';
import { FaultList } from './fault-list.ts';
import { singleItems } from './validate-structural.ts';

/** A value within what is around it up to the whole resource. */
type Surround = (value: JsonValue) => JsonValue;

interface Place {
  readonly path: FieldPath;
  /** The resource that the schema is a part of. */
  readonly resource: JsonSchemaProps;
  readonly surround: Surround;
  /** Whether the schema is one of apiVersion, kind or metadata, or within them. */
  readonly isInMetadata: boolean;
}

/** Faults of the defaults of a structural schema: they must be valid themselves, and have no fields that would be dropped. */
export function validateSchemaDefaults(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const resource = asResource(schema);
  const walk = new DefaultsWalk();
  walk.visit(resource, { path, resource, surround: (value) => value, isInMetadata: false });
  return walk.faults.errors;
}

class DefaultsWalk {
  readonly faults = new FaultList();
  /** What the rules of all defaults may still cost. */
  #remaining: number = objectCostLimit;

  visit(schema: JsonSchemaProps, outer: Place): void {
    const isResource = schema['x-kubernetes-embedded-resource'] === true;
    const { path } = outer;
    const place: Place = isResource ? { path, resource: schema, surround: completeType, isInMetadata: false } : outer;
    const value = schema.default ?? null;
    if (value !== null) this.#validate(schema, value, place);
    const { surround } = place;
    const items = singleItems(schema);
    if (items !== undefined && this.#remaining >= 0) {
      this.visit(items, { ...place, path: path.child('items'), surround: (item) => surround([item]) });
    }
    for (const key of Object.keys(schema.properties ?? {}).sort()) {
      const property = schema.properties?.[key];
      if (property === undefined || this.#remaining < 0) continue;
      this.visit(property, {
        ...place,
        path: path.child('properties').key(key),
        surround: (member) => surround(wrap(key, member)),
        isInMetadata: place.isInMetadata || (isResource && typeAndMetadata.has(key)),
      });
    }
  }

  #validate(schema: JsonSchemaProps, value: JsonValue, place: Place): void {
    const own = place.path.child('default');
    const faults = place.isInMetadata ? validateInMetadata(value, place, own) : this.#validateUsual(schema, value, own);
    if (faults.length > 0) {
      this.faults.addAll(faults);
      return;
    }
    const wrong = toFieldErrors(validateBySchema(value, allowAnyType(schema), ''), own);
    if (wrong.length > 0) this.faults.addAll(wrong);
    else this.#run(schema, value, place, own);
  }

  /** Answers what ends the validation of a default. */
  #validateUsual(schema: JsonSchemaProps, value: JsonValue, path: FieldPath): FieldError[] {
    const pruned = deepClone(value);
    pruneUnknownFields(pruned, schema);
    if (!deepEqual(pruned, value)) {
      this.faults.add(makeInvalid(path, sortKeys(value), 'must not have unknown fields'));
    }
    const coerced = coerceEmbeddedMetadata(deepClone(value), schema, path);
    if ('error' in coerced) return [coerced.error];
    return validateEmbeddedResources(value, schema, path);
  }

  /** Rules see the default as one that was there before, and then as a new one. */
  #run(schema: JsonSchemaProps, value: JsonValue, { resource }: Place, path: FieldPath): void {
    const node = buildRules(schema, schema === resource);
    if (node === undefined) return;
    const budget = this.#remaining;
    const kept = runRules(node, { value, old: value, path, budget, mayTakeLong: true });
    this.faults.addAll(kept.errors);
    this.#remaining = kept.remaining;
    if (kept.errors.length > 0) return;
    const added = runRules(node, { value, path, budget, mayTakeLong: true });
    this.faults.addAll(added.errors);
    this.#remaining = Math.min(kept.remaining, added.remaining);
  }
}

/** The schema by which a default is checked: what is an integer or a text may be anything there, and every format counts. */
function allowAnyType(schema: JsonSchemaProps): FormattedSchema {
  const { 'x-kubernetes-int-or-string': _isEither, ...rest } = schema;
  const { properties, additionalProperties } = rest;
  const items = singleItems(rest);
  return {
    ...rest,
    countsFormats: true,
    ...(items === undefined ? {} : { items: allowAnyType(items) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: allowAnyType(additionalProperties) } : {}),
    ...(properties === undefined ? {} : { properties: mapProperties(properties) }),
  };
}

function mapProperties(properties: NonNullable<JsonSchemaProps['properties']>): Record<string, JsonSchemaProps> {
  const mapped: Record<string, JsonSchemaProps> = {};
  for (const [key, property] of Object.entries(properties)) setOwn(mapped, key, allowAnyType(property));
  return mapped;
}

function wrap(key: string, value: JsonValue): JsonObject {
  const object: JsonObject = {};
  setOwn(object, key, value);
  return object;
}

/** A whole resource with a type, which any other is as good as. */
function completeType(value: JsonValue): JsonValue {
  return isJsonObject(value) ? { kind: 'Validation', apiVersion: 'validation/v1', ...value } : value;
}

function validateInMetadata(value: JsonValue, { resource, surround }: Place, path: FieldPath): FieldError[] {
  const whole = surround(deepClone(value));
  const invalid = (fault: string): FieldError[] => [
    makeInvalid(path, sortKeys(value), `must result in valid metadata: ${fault}`),
  ];
  const coerced = coerceEmbeddedMetadata(whole, resource);
  if ('fault' in coerced) return invalid(coerced.fault);
  const errors = validateEmbeddedResources(whole, resource, FieldPath.empty);
  return errors.length === 0 ? [] : invalid(aggregateMessages(errors.map(formatFieldError)));
}
