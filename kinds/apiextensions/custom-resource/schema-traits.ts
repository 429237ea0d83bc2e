import type { JsonSchemaProps } from '../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, valuesOf } from './schema-parts.ts';

/** Asks whether a schema or one inside it is of some sort; answers are kept, so that what has none of it is never walked through. */
function makeTrait(isSo: (schema: JsonSchemaProps) => boolean): (schema: JsonSchemaProps) => boolean {
  const known = new WeakMap<JsonSchemaProps, boolean>();
  const ask = (schema: JsonSchemaProps | undefined): boolean => {
    if (schema === undefined) return false;
    let answer = known.get(schema);
    if (answer === undefined) {
      const inner = [itemsOf(schema), valuesOf(schema), ...Object.values(schema.properties ?? {})];
      answer = isSo(schema) || inner.some(ask);
      known.set(schema, answer);
    }
    return answer;
  };
  return ask;
}

/** Whether there are lists of type `set` or `map` in values of a schema. */
export const hasListTypes: (schema: JsonSchemaProps) => boolean = makeTrait(
  ({ 'x-kubernetes-list-type': type }) => type === 'set' || type === 'map',
);

/** Whether there are whole resources in values of a schema. */
export const hasResources: (schema: JsonSchemaProps) => boolean = makeTrait(
  (schema) => schema['x-kubernetes-embedded-resource'] === true,
);
