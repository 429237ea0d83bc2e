import { measurePattern } from '../../../core/cel/libraries/regex/measure-pattern.ts';
import type { JsonValue } from '../../../core/meta/json.ts';
import { measureExpression } from '../../admissionregistration/policy/measure-source.ts';
import type {
  CustomResourceDefinition,
  DefinedConversion,
  DefinedNames,
  DefinedVersion,
  JsonSchemaProps,
  ValidationRule,
} from './custom-resource-definition.ts';
import { visitSchemas } from './visit-schemas.ts';

/** Time for a schema, in characters of rules that take as long. */
const schemaWork = 4;
/** Time for the types of a rule. */
const ruleWork = 200;
/** Time for a name, a key or a value of an enumeration. */
const entryWork = 2;
/** Time for a value within a default, which is held against all that its schema says. */
const valueWork = 20;
/** Characters that are only looked through in the time of one that is compiled. */
const textRatio = 20;
/** A few milliseconds. */
const longWork = 5_000;

/** Whether validating a definition takes long enough to be done where it holds up nobody. */
export function isLongDefinition({ spec, status }: CustomResourceDefinition): boolean {
  const { versions, names, conversion } = spec;
  const named = countNames(names) + countNames(status?.acceptedNames) + (status?.storedVersions ?? []).length;
  let work = entryWork * named + measureConversion(conversion);
  let [hasRules, hasDefaults] = [false, false];
  for (const version of versions) {
    work += measureVersion(version);
    visitSchemas(version.schema?.openAPIV3Schema, (part) => {
      hasDefaults ||= part.default !== undefined;
      hasRules ||= (part['x-kubernetes-validations'] ?? []).length > 0;
      work += measureSchemaWork(part);
      return work <= longWork;
    });
  }
  // Rules are run on the defaults, and may cost what they like there.
  return work > longWork || (hasRules && hasDefaults);
}

function countNames(names: DefinedNames | undefined): number {
  return (names?.shortNames ?? []).length + (names?.categories ?? []).length;
}

function measureConversion(conversion: DefinedConversion | undefined): number {
  const { clientConfig, conversionReviewVersions = [] } = conversion?.webhook ?? {};
  const { url = '', service, caBundle = '' } = clientConfig ?? {};
  const texts = url.length + (service?.path ?? '').length + caBundle.length / textRatio;
  return entryWork * conversionReviewVersions.length + texts;
}

function measureVersion({ additionalPrinterColumns = [], selectableFields = [] }: DefinedVersion): number {
  const texts = selectableFields.reduce((sum, { jsonPath }) => sum + jsonPath.length, 0);
  return schemaWork + schemaWork * (additionalPrinterColumns.length + selectableFields.length) + texts;
}

/** What is in the schema itself, and how many there are directly below it. */
function measureSchemaWork(schema: JsonSchemaProps): number {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const entries = keys.length + (schema.required ?? []).length + (schema.enum ?? []).length;
  const properties = schemaWork * Object.keys(schema.properties ?? {}).length;
  const rules = (schema['x-kubernetes-validations'] ?? []).reduce((sum, rule) => sum + measureRule(rule), 0);
  const pattern = measurePattern(schema.pattern ?? '');
  return schemaWork + entryWork * entries + properties + rules + pattern + measureDefault(schema.default);
}

function measureRule({ rule, message = '', messageExpression = '', fieldPath = '' }: ValidationRule): number {
  return (
    ruleWork +
    measureExpression(rule) +
    measureExpression(messageExpression) +
    message.length / textRatio +
    fieldPath.length
  );
}

/** Stops where it is more than enough. */
function measureDefault(value: JsonValue | undefined): number {
  let work = 0;
  const pending = value === undefined ? [] : [value];
  for (let next = pending.pop(); next !== undefined && work <= longWork; next = pending.pop()) {
    work += valueWork + (typeof next === 'string' ? next.length : 0);
    if (typeof next !== 'object' || next === null) continue;
    for (const member of Object.values(next)) if (member !== undefined) pending.push(member);
  }
  return work;
}
