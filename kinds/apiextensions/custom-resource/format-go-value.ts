import { compareBytes } from '../../../core/apply/path-element.ts';
import { formatDouble } from '../../../core/cel/values/format-double.ts';
import { isJsonObject, type JsonValue } from '../../../core/meta/json.ts';

/** A value of a document as Go's `%v` prints it: `map[a:1 b:[x y]]`, `<nil>`. */
export function formatGoMapValue(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(formatGoMapValue).join(' ')}]`;
  if (typeof value === 'number') return formatDouble(value);
  if (!isJsonObject(value)) return String(value);
  const keys = Object.keys(value).sort(compareBytes);
  return `map[${keys.map((key) => `${key}:${formatGoMapValue(value[key] ?? null)}`).join(' ')}]`;
}
