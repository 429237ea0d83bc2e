import type { JsonValue } from '../../../core/meta/json.ts';

/** What nests deeper is cut short: a patch may nest deeper than the engine's stack. */
const MAX_DEPTH = 1000;

/** A JSON value as Go's `%+v` prints it, with keys in order: `map[data:map[q:7]]`. */
export function formatGoValue(value: JsonValue | undefined, depth = 0): string {
  if (value === undefined || value === null) return '<nil>';
  if (depth > MAX_DEPTH) return '...';
  if (Array.isArray(value)) return `[${value.map((item) => formatGoValue(item, depth + 1)).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${key}:${formatGoValue(value[key], depth + 1)}`);
  return `map[${members.join(' ')}]`;
}
