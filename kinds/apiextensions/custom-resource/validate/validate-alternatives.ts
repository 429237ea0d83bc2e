import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { makeAlternativeFault, SchemaResult } from './schema-result.ts';

/** What one of several schemas says to the value in question. */
type ValidateOne = (schema: JsonSchemaProps) => SchemaResult;

/** Whether a schema has alternatives of any sort. */
export function hasAlternatives({ anyOf, oneOf, allOf, not }: JsonSchemaProps): boolean {
  return anyOf !== undefined || oneOf !== undefined || allOf !== undefined || not !== undefined;
}

/** Faults of `anyOf`, `oneOf`, `allOf` and `not`, by what `validate` says of each; what did not change is no excuse here. */
export function validateAlternatives(schema: JsonSchemaProps, name: string, validate: ValidateOne): SchemaResult {
  const result = new SchemaResult();
  const fail = (rule: string): void => result.add(makeAlternativeFault(name, rule));
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  if (anyOf.length > 0) {
    const found = findFirstValid(anyOf, validate);
    if (found.valid === undefined) fail('must validate at least one schema (anyOf)');
    const kept = found.valid ?? found.best;
    if (kept !== undefined) result.merge(kept);
  }
  if (oneOf.length > 0) {
    const results = oneOf.map(validate);
    const valid = results.filter((one) => one.isValid);
    if (valid.length === 1 && valid[0] !== undefined) {
      result.merge(valid[0]);
    } else {
      const count = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      fail(`must validate one and only one schema (oneOf). ${count}`);
      const best = valid.length === 0 ? findBest(results) : undefined;
      if (best !== undefined) result.merge(best);
    }
  }
  if (allOf.length > 0) {
    let count = 0;
    for (const one of allOf) {
      const part = validate(one);
      if (part.isValid) count++;
      result.merge(part);
    }
    if (count !== allOf.length) {
      fail(`must validate all the schemas (allOf)${count === 0 ? '. None validated' : ''}`);
    }
  }
  if (not !== undefined && validate(not).isValid) fail('must not validate the schema (not)');
  return result;
}

/** The one with the most matches, the first of several. */
function findBest(results: readonly SchemaResult[]): SchemaResult | undefined {
  return results.reduce<SchemaResult | undefined>(
    (best, result) => (best === undefined || result.matches > best.matches ? result : best),
    undefined,
  );
}

function findFirstValid(
  schemas: readonly JsonSchemaProps[],
  validate: ValidateOne,
): { readonly valid?: SchemaResult; readonly best?: SchemaResult } {
  let best: SchemaResult | undefined;
  for (const schema of schemas) {
    const result = validate(schema);
    if (result.isValid) return { valid: result };
    if (best === undefined || result.matches > best.matches) best = result;
  }
  return best === undefined ? {} : { best };
}
