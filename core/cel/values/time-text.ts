import { CelDuration, CelError, CelTimestamp } from './cel-value.ts';
import { formatFixed } from './format-double.ts';
import { isWithinInt } from './integers.ts';

const minUnixSeconds = -62135596800;
const maxUnixSeconds = 253402300799;
const nanosPerSecond = 1_000_000_000n;

/** The error of a time before the year 1 or after the year 9999. */
export const timestampOverflow = new CelError('timestamp overflow');

/** Whether a timestamp may have so many seconds since 1970. */
export function isWithinTimestamp(seconds: number): boolean {
  return seconds >= minUnixSeconds && seconds <= maxUnixSeconds;
}

const timestampPattern = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)T(?<hour>\d\d?):(?<minute>\d\d):(?<second>\d\d)(?:[.,](?<fraction>\d+))?` +
    String.raw`(?:Z|(?<sign>[+-])(?<zoneHour>\d\d):(?<zoneMinute>\d\d))$`,
);

/** A time as RFC 3339 writes it, as Go's `time.Parse` reads one; `undefined`: it is none. An error for a time out of range. */
export function parseTimestamp(text: string): CelTimestamp | CelError | undefined {
  const parts = timestampPattern.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((name) =>
    Number(parts[name]),
  ) as [number, number, number, number, number, number];
  if (month < 1 || month > 12 || day < 1 || day > countDays(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const zoneHour = Number(parts['zoneHour'] ?? 0);
  const zoneMinute = Number(parts['zoneMinute'] ?? 0);
  if (zoneHour > 24 || zoneMinute > 60) return undefined;
  const offset = (zoneHour * 60 + zoneMinute) * 60 * (parts['sign'] === '-' ? -1 : 1);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  const nanos = Number((parts['fraction'] ?? '').slice(0, 9).padEnd(9, '0'));
  return isWithinTimestamp(seconds) ? new CelTimestamp(seconds, nanos, offset + 0) : timestampOverflow;
}

function countDays(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** A time as RFC 3339 writes it, with as many digits of the second as it has, in the zone it came in. */
export function formatTimestamp({ seconds, nanos, offsetSeconds }: CelTimestamp): string {
  const date = new Date((seconds + offsetSeconds) * 1000);
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  const year = date.getUTCFullYear();
  const yearText = year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year).padStart(4, '0');
  const rest = `${yearText}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}T${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}${fraction}`;
  if (offsetSeconds === 0) return `${rest}Z`;
  const minutes = Math.trunc(Math.abs(offsetSeconds) / 60);
  return `${rest}${offsetSeconds < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60))}:${pad(minutes % 60)}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

const nanosPerUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n, // U+00B5
  μs: 1000n, // U+03BC
  ms: 1_000_000n,
  s: nanosPerSecond,
  m: 60n * nanosPerSecond,
  h: 3600n * nanosPerSecond,
};
const durationPart = /(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<unit>[^\d.]+)/y;

/** A length of time as Go's `time.ParseDuration` reads one, such as `1h30m` or `-1.5s`; `undefined`: it is none. */
export function parseDuration(text: string): CelDuration | undefined {
  const isNegative = text.startsWith('-');
  const rest = isNegative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return new CelDuration(0n);
  if (rest === '') return undefined;
  let nanos = 0n;
  durationPart.lastIndex = 0;
  for (let end = 0; end < rest.length; end = durationPart.lastIndex) {
    const parts = durationPart.exec(rest)?.groups;
    if (parts === undefined) return undefined;
    const { whole = '', fraction = '', unit = '' } = parts;
    const scale = Object.hasOwn(nanosPerUnit, unit) ? nanosPerUnit[unit] : undefined;
    if (scale === undefined || whole + fraction === '') return undefined;
    if (whole.length > 40) return undefined;
    nanos += BigInt(whole === '' ? 0 : whole) * scale;
    const digits = fraction.slice(0, 18);
    if (digits !== '') nanos += (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
    if (!isWithinInt(-nanos)) return undefined;
  }
  const signed = isNegative ? -nanos : nanos;
  return isWithinInt(signed) ? new CelDuration(signed) : undefined;
}

/** The seconds of a length of time, as Go's `Duration.Seconds` rounds them. */
function countSeconds({ nanos }: CelDuration): number {
  return Number(nanos / nanosPerSecond) + Number(nanos % nanosPerSecond) / 1e9;
}

/** A length of time in seconds, such as `90s` or `0.5s`. */
export function formatDuration(duration: CelDuration): string {
  return `${formatFixed(countSeconds(duration))}s`;
}

/** A length of time as Go shows it, such as `1h30m0s` or `1.5ms`. */
export function describeDuration({ nanos }: CelDuration): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const length = nanos < 0n ? -nanos : nanos;
  if (length < nanosPerSecond) {
    const [scale, unit] = length < 1000n ? [1, 'ns'] : length < 1_000_000n ? [1e3, 'µs'] : [1e6, 'ms'];
    return `${sign}${formatFixed(Number(length) / scale)}${unit}`;
  }
  const seconds = length / nanosPerSecond;
  const fraction = String(length % nanosPerSecond)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const rest = `${seconds % 60n}${fraction === '' ? '' : `.${fraction}`}s`;
  if (seconds < 60n) return sign + rest;
  const minutes = seconds / 60n;
  return `${sign}${minutes < 60n ? '' : `${minutes / 60n}h`}${minutes % 60n}m${rest}`;
}

/** A time as Go shows it, such as `2023-11-14 22:13:20.5 +0000 UTC`. */
export function describeTimestamp(timestamp: CelTimestamp): string {
  const text = formatTimestamp(timestamp);
  const zoneLength = timestamp.offsetSeconds === 0 ? 1 : 6;
  const zone = text.slice(-zoneLength).replace(':', '');
  const local = text.slice(0, -zoneLength).replace('T', ' ');
  return `${local} ${timestamp.offsetSeconds === 0 ? '+0000 UTC' : `${zone} ${zone}`}`;
}
