import type { JsonValue } from '../meta/json.ts';

/** How deep an object may nest: what is done with it recurses, and must not use up the stack. */
export const MAX_OBJECT_DEPTH = 500;

/** Whether objects and arrays nest more than `depth` deep in a value. */
export function isDeeper(value: JsonValue | undefined, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}
