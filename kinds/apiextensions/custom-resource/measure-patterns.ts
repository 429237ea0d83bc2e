import { measurePattern } from '../../../core/cel/libraries/regex/measure-pattern.ts';
import type { JsonSchemaProps } from '../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, valuesOf } from './schema-parts.ts';

/** Instructions of the largest pattern in a schema; 0 when there is none. */
export function measurePatterns(schema: JsonSchemaProps): number {
  let largest = 0;
  const pending: (JsonSchemaProps | undefined)[] = [schema];
  while (pending.length > 0) {
    const next = pending.pop();
    if (next === undefined) continue;
    if (next.pattern !== undefined) largest = Math.max(largest, measurePattern(next.pattern));
    const { anyOf = [], oneOf = [], allOf = [], not, properties = {} } = next;
    pending.push(itemsOf(next), valuesOf(next), not, ...anyOf, ...oneOf, ...allOf, ...Object.values(properties));
  }
  return largest;
}
