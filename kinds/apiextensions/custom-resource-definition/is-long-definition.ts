import { measurePattern } from '../../../core/cel/libraries/regex/measure-pattern.ts';
import { measureExpression } from '../../admissionregistration/policy/measure-source.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { visitSchemas } from './visit-schemas.ts';

/** Time for a schema, in characters of rules that take as long. */
const schemaWork = 4;
/** Time for the types of a rule. */
const ruleWork = 200;
/** A few milliseconds. */
const longWork = 5_000;

/** Whether validating a definition takes long enough to be done where it holds up nobody. */
export function isLongDefinition({ spec }: CustomResourceDefinition): boolean {
  let work = 0;
  let [hasRules, hasDefaults] = [false, false];
  for (const { schema } of spec.versions) {
    visitSchemas(schema?.openAPIV3Schema, (part) => {
      work += schemaWork + measurePattern(part.pattern ?? '');
      hasDefaults ||= part.default !== undefined;
      for (const { rule, messageExpression = '' } of part['x-kubernetes-validations'] ?? []) {
        hasRules = true;
        work += ruleWork + measureExpression(rule) + measureExpression(messageExpression);
      }
    });
  }
  // Rules are run on the defaults, and may cost what they like there.
  return work > longWork || (hasRules && hasDefaults);
}
