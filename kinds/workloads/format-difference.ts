import { isJsonObject, type JsonValue } from '../../core/meta/json.ts';

const contextLines = 3;

function printLines(value: JsonValue | undefined): string[] {
  const sort = (_key: string, item: unknown): unknown => {
    if (typeof item === 'bigint') return Number(item);
    if (!isJsonObject(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify(value, sort, 1).split('\n');
}

function countEqual(
  a: readonly string[],
  b: readonly string[],
  max: number,
  at: (list: readonly string[], i: number) => string | undefined,
): number {
  let count = 0;
  while (count < max && at(a, count) === at(b, count)) count += 1;
  return count;
}

/**
 * What differs between two values, as the lines of one unified hunk from the first to the last difference, with lines around it;
 * empty when nothing does.
 */
export function formatDifference(before: JsonValue | undefined, after: JsonValue | undefined): string {
  const a = printLines(before);
  const b = printLines(after);
  const shortest = Math.min(a.length, b.length);
  const head = countEqual(a, b, shortest, (list, i) => list[i]);
  if (head === a.length && head === b.length) return '';
  const tail = countEqual(a, b, shortest - head, (list, i) => list[list.length - 1 - i]);
  const start = Math.max(0, head - contextLines);
  const endA = Math.min(a.length, a.length - tail + contextLines);
  const endB = Math.min(b.length, b.length - tail + contextLines);
  return [
    `@@ -${start + 1},${endA - start} +${start + 1},${endB - start} @@`,
    ...a.slice(start, head).map((line) => ` ${line}`),
    ...a.slice(head, a.length - tail).map((line) => `-${line}`),
    ...b.slice(head, b.length - tail).map((line) => `+${line}`),
    ...a.slice(a.length - tail, endA).map((line) => ` ${line}`),
    '',
  ].join('\n');
}
