import { parseTime } from '../core/time/time.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

function formatParts(millis: number, unit: number, unitName: string, rest: number, restName: string): string {
  const whole = Math.trunc(millis / unit);
  const remainder = Math.trunc((millis % unit) / rest);
  return remainder === 0 ? `${whole}${unitName}` : `${whole}${unitName}${remainder}${restName}`;
}

/** A duration as `kubectl get` shows it: two units at most, coarser as it grows. `<invalid>` when more than a second negative. */
export function formatDuration(millis: number): string {
  const seconds = Math.trunc(millis / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (millis < 2 * MINUTE) return `${seconds}s`;
  if (millis < 10 * MINUTE) return formatParts(millis, MINUTE, 'm', SECOND, 's');
  if (millis < 3 * HOUR) return `${Math.trunc(millis / MINUTE)}m`;
  if (millis < 8 * HOUR) return formatParts(millis, HOUR, 'h', MINUTE, 'm');
  if (millis < 2 * DAY) return `${Math.trunc(millis / HOUR)}h`;
  if (millis < 8 * DAY) return formatParts(millis, DAY, 'd', HOUR, 'h');
  if (millis < 2 * YEAR) return `${Math.trunc(millis / DAY)}d`;
  if (millis < 8 * YEAR) return formatParts(millis, YEAR, 'y', DAY, 'd');
  return `${Math.trunc(millis / YEAR)}y`;
}

/** Age of something made at `timestamp` (RFC 3339), as `kubectl get` shows it; `<unknown>` when there is none. */
export function formatAge(timestamp: string | null | undefined, nowMillis: number): string {
  const millis = timestamp === null || timestamp === undefined ? undefined : parseTime(timestamp);
  return millis === undefined ? '<unknown>' : formatDuration(nowMillis - millis);
}
