import { parse } from 'node:path';

import { formatDate } from '../../core/time/format-date.ts';

/** Which finished files of a log are kept; 0 sets no bound. */
export interface LogRetention {
  readonly maxBackups: number;
  readonly maxAgeDays: number;
}

const dayMillis = 86_400_000;
const stampPattern = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})(?:-(\d+))?$/;

/** Name of a finished file: the log's own with the time of its end in between. `index` tells those of one moment apart, from 1. */
export function nameFinishedLog(file: string, endMillis: number, index: number): string {
  const { name, ext } = parse(file);
  const stamp = formatDate(endMillis).slice(0, -1).replaceAll(':', '-');
  return `${name}-${stamp}${index > 1 ? `-${index}` : ''}${ext}`;
}

/** When a finished file ended, and its place among those of one moment; `undefined` for every other name. */
function readStamp(file: string, candidate: string): { endMillis: number; index: number } | undefined {
  const { name, ext } = parse(file);
  if (!candidate.startsWith(`${name}-`) || !candidate.endsWith(ext)) return undefined;
  const stamp = stampPattern.exec(candidate.slice(name.length + 1, candidate.length - ext.length));
  if (stamp === null) return undefined;
  const [, date, hours, minutes, seconds, index] = stamp;
  return { endMillis: Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`), index: Number(index ?? 1) };
}

/** Names of finished files to remove, of all the names in the log's folder: too many, the oldest first, or too old. */
export function planLogRetention(
  file: string,
  names: readonly string[],
  { maxBackups, maxAgeDays }: LogRetention,
  nowMillis: number,
): string[] {
  const finished = names
    .flatMap((name) => {
      const stamp = readStamp(file, name);
      return stamp === undefined ? [] : [{ name, ...stamp }];
    })
    .toSorted((left, right) => right.endMillis - left.endMillis || right.index - left.index);
  const oldestMillis = maxAgeDays === 0 ? -Infinity : nowMillis - maxAgeDays * dayMillis;
  return finished
    .filter(({ endMillis }, rank) => endMillis < oldestMillis || (maxBackups > 0 && rank >= maxBackups))
    .map(({ name }) => name);
}
