import { formatDate } from './format-date.ts';

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const MICRO_TIME = /^\d{4}-\d{2}-\d{2}T\d{1,2}:\d{2}:\d{2}\.\d{6}(?:Z|[+-]\d{2}:\d{2})$/;

interface Instant {
  /** Whole seconds since the epoch. */
  readonly seconds: number;
  readonly microseconds: number;
}

function parseInstant(text: string): Instant | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [, , , , , , , fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = match;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  if (Number(zoneHour) > 24 || Number(zoneMinute) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  // A day that the month does not have would roll over into the next one.
  if (day < 1 || date.getUTCDate() !== day) return undefined;
  const offsetSeconds = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60 * (sign === '-' ? -1 : 1);
  const microseconds = Number(fraction.slice(0, 6).padEnd(6, '0'));
  return { seconds: date.getTime() / 1000 - offsetSeconds, microseconds };
}

/** The second that was formatted last: much is written within one, and formatting is slow. */
let formatted = { seconds: 0, text: '1970-01-01T00:00:00' };

function formatSeconds(seconds: number): string {
  if (formatted.seconds !== seconds) {
    formatted = { seconds, text: formatDate(seconds * 1000).slice(0, 19) };
  }
  return formatted.text;
}

/** Milliseconds since the epoch of an RFC 3339 time, with a fraction where it has microseconds; `undefined` when it is none. */
export function parseTime(text: string): number | undefined {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : instant.seconds * 1000 + instant.microseconds / 1000;
}

/** Kubernetes' Time: `2026-01-31T12:00:00Z`, UTC, whole seconds (fractions are cut off). */
export function formatTime(millis: number): string {
  return `${formatSeconds(Math.floor(millis / 1000))}Z`;
}

/** Kubernetes' MicroTime: `2026-01-31T12:00:00.000000Z`, UTC, six decimal places. */
export function formatMicroTime(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  const microseconds = Math.min(999_999, Math.floor(Math.round((millis - seconds * 1000) * 1e6) / 1000));
  return `${formatSeconds(seconds)}.${String(microseconds).padStart(6, '0')}Z`;
}

/** Any RFC 3339 time in the form Time is stored in; `undefined` when the text is none. */
export function canonicalizeTime(text: string): string | undefined {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : `${formatSeconds(instant.seconds)}Z`;
}

/** A time in the form MicroTime is stored in; `undefined` unless the text is RFC 3339 with exactly six decimal places, as Kubernetes demands. */
export function canonicalizeMicroTime(text: string): string | undefined {
  if (!MICRO_TIME.test(text)) return undefined;
  const instant = parseInstant(text);
  if (instant === undefined) return undefined;
  return `${formatSeconds(instant.seconds)}.${String(instant.microseconds).padStart(6, '0')}Z`;
}
