import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import type { DefinedVersion, JsonSchemaProps, ValidationRule } from './custom-resource-definition.ts';

type Show = (value: JsonValue) => JsonValue;

/** A field of a Go struct: its name, that of the JSON field, what it is when it is absent, and how it is shown else. */
type ShownField = readonly [go: string, json: string, absent: JsonValue, show?: Show];

function showFields(value: JsonValue, fields: readonly ShownField[]): JsonObject {
  const object = isJsonObject(value) ? value : {};
  return Object.fromEntries(
    fields.map(([go, json, absent, show]) => {
      const member = Object.hasOwn(object, json) ? object[json] : undefined;
      return [go, member === undefined || member === null ? absent : (show?.(member) ?? member)];
    }),
  );
}

function listOf(show: Show): Show {
  return (value) => (Array.isArray(value) ? value.map(show) : value);
}

function mapOf(show: Show): Show {
  return (value) =>
    isJsonObject(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, show(value[key] ?? null)]),
        )
      : value;
}

/** Free JSON, the keys of objects sorted. */
function showJson(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.map(showJson) : mapOf(showJson)(value);
}

const showSchema: Show = (value) => showFields(value, schemaFields);
const showSchemaOrArray: Show = (value) =>
  Array.isArray(value)
    ? { Schema: null, JSONSchemas: value.map(showSchema) }
    : { Schema: value === null ? null : showSchema(value), JSONSchemas: null };
const showSchemaOrBool: Show = (value) =>
  typeof value === 'boolean' ? { Allows: value, Schema: null } : { Allows: true, Schema: showSchema(value) };
const showDependency: Show = (value) =>
  Array.isArray(value) ? { Schema: null, Property: value } : { Schema: showSchema(value), Property: null };

const ruleFields: readonly ShownField[] = [
  ['Rule', 'rule', ''],
  ['Message', 'message', ''],
  ['MessageExpression', 'messageExpression', ''],
  ['Reason', 'reason', null],
  ['FieldPath', 'fieldPath', ''],
  ['OptionalOldSelf', 'optionalOldSelf', null],
];

const docsFields: readonly ShownField[] = [
  ['Description', 'description', ''],
  ['URL', 'url', ''],
];

/** Fields of a schema in Go's order. */
const schemaFields: readonly ShownField[] = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', null, showJson],
  ['Maximum', 'maximum', null],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null],
  ['MinLength', 'minLength', null],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null],
  ['MinItems', 'minItems', null],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null],
  ['Enum', 'enum', null, listOf(showJson)],
  ['MaxProperties', 'maxProperties', null],
  ['MinProperties', 'minProperties', null],
  ['Required', 'required', null],
  ['Items', 'items', null, showSchemaOrArray],
  ['AllOf', 'allOf', null, listOf(showSchema)],
  ['OneOf', 'oneOf', null, listOf(showSchema)],
  ['AnyOf', 'anyOf', null, listOf(showSchema)],
  ['Not', 'not', null, showSchema],
  ['Properties', 'properties', null, mapOf(showSchema)],
  ['AdditionalProperties', 'additionalProperties', null, showSchemaOrBool],
  ['PatternProperties', 'patternProperties', null, mapOf(showSchema)],
  ['Dependencies', 'dependencies', null, mapOf(showDependency)],
  ['AdditionalItems', 'additionalItems', null, showSchemaOrBool],
  ['Definitions', 'definitions', null, mapOf(showSchema)],
  ['ExternalDocs', 'externalDocs', null, (value) => showFields(value, docsFields)],
  ['Example', 'example', null, showJson],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null],
  ['XListType', 'x-kubernetes-list-type', null],
  ['XMapType', 'x-kubernetes-map-type', null],
  ['XValidations', 'x-kubernetes-validations', null, listOf((rule) => showFields(rule, ruleFields))],
];

/** JSON names of the fields that a schema has, by Go's names, in Go's order. */
export function listSetFields(schema: JsonSchemaProps): string[] {
  return schemaFields.filter(([, json]) => (schema as Record<string, unknown>)[json] !== undefined).map(([go]) => go);
}

const scaleFields: readonly ShownField[] = [
  ['SpecReplicasPath', 'specReplicasPath', ''],
  ['StatusReplicasPath', 'statusReplicasPath', ''],
  ['LabelSelectorPath', 'labelSelectorPath', null],
];

const subresourceFields: readonly ShownField[] = [
  ['Status', 'status', null],
  ['Scale', 'scale', null, (value) => showFields(value, scaleFields)],
];

const columnFields: readonly ShownField[] = [
  ['Name', 'name', ''],
  ['Type', 'type', ''],
  ['Format', 'format', ''],
  ['Description', 'description', ''],
  ['Priority', 'priority', 0],
  ['JSONPath', 'jsonPath', ''],
];

const versionFields: readonly ShownField[] = [
  ['Name', 'name', ''],
  ['Served', 'served', false],
  ['Storage', 'storage', false],
  ['Deprecated', 'deprecated', false],
  ['DeprecationWarning', 'deprecationWarning', null],
  ['Schema', 'schema', null, (value) => showFields(value, [['OpenAPIV3Schema', 'openAPIV3Schema', null, showSchema]])],
  ['Subresources', 'subresources', null, (value) => showFields(value, subresourceFields)],
  ['AdditionalPrinterColumns', 'additionalPrinterColumns', null, listOf((column) => showFields(column, columnFields))],
  ['SelectableFields', 'selectableFields', null, listOf((field) => showFields(field, [['JSONPath', 'jsonPath', '']]))],
];

/** A schema as faults quote it: Go's fields, every one of them. */
export function showInternalSchema(schema: JsonSchemaProps): JsonValue {
  return showSchema(schema as unknown as JsonValue);
}

/** The items of a schema as faults quote them. */
export function showInternalItems(items: JsonSchemaProps['items'] | null): JsonValue {
  return showSchemaOrArray((items ?? null) as unknown as JsonValue);
}

/** A rule as faults quote it. */
export function showInternalRule(rule: ValidationRule): JsonValue {
  return showFields(rule as unknown as JsonValue, ruleFields);
}

/** Versions as faults quote them. */
export function showInternalVersions(versions: readonly DefinedVersion[]): JsonValue {
  return versions.map((version) => showFields(version as unknown as JsonValue, versionFields));
}
