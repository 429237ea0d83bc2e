import type { FieldError } from './field-error.ts';

/** So many characters of faults are told at most. */
export const longestFaults = 1 << 20;

/** The first faults, as many as can be told: each may quote a large value or a long path. One at least where there are any. */
export function limitFaults(faults: FieldError[]): FieldError[] {
  let left = longestFaults;
  const end = faults.findIndex((fault, i) => {
    left -= measureFault(fault, left);
    return i > 0 && left < 0;
  });
  return end === -1 ? faults : faults.slice(0, end);
}

function measureFault({ field, detail, value }: FieldError, enough: number): number {
  let length = field.length + detail.length + 20;
  const pending: unknown[] = [value];
  while (pending.length > 0 && length <= enough) {
    const next = pending.pop();
    length += typeof next === 'string' ? next.length + 3 : 5;
    if (typeof next !== 'object' || next === null) continue;
    for (const key of Object.keys(next)) {
      length += Array.isArray(next) ? 1 : key.length + 4;
      pending.push((next as Record<string, unknown>)[key]);
    }
  }
  return length;
}
