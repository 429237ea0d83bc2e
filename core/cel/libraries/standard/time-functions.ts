import { durationType, intType, stringType, timestampType } from '../../types/cel-type.ts';
import {
  CelError,
  type CelDuration,
  type CelResult,
  type CelTimestamp,
  type CelValue,
} from '../../values/cel-value.ts';
import { toCanonicalInt } from '../../values/integers.ts';
import type { CelFunction } from '../cel-library.ts';
import { declareMembers, type Implementation, type OverloadRow } from './declare-overloads.ts';
import { findOffset } from './time-zone.ts';

const msPerDay = 86_400_000;

/** Reads a part of a date, whose UTC fields are those of the time zone asked for. */
type ReadPart = (date: Date, nanos: number) => number;

function readTime(timestamp: CelTimestamp, zone: string, read: ReadPart): CelResult {
  const offset = findOffset(zone, timestamp.seconds);
  if (offset instanceof CelError) return offset;
  const date = new Date((timestamp.seconds + offset) * 1000);
  // Offsets are only bounded by Go's; a date that JavaScript does not know is further away than any zone.
  return Number.isNaN(date.getTime()) ? new CelError('timestamp overflow') : read(date, timestamp.nanos);
}

function readDayOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / msPerDay);
}

type TimeRow = readonly [name: string, part: string, read: ReadPart, ofDuration?: (duration: CelDuration) => CelResult];

/** How often a unit fits into a length of time; Go counts in doubles, which may round the last one up. */
function countWhole({ nanos }: CelDuration, unit: bigint): number {
  return Math.trunc(Number(nanos / unit) + Number(nanos % unit) / Number(unit)) + 0;
}

const rows: readonly TimeRow[] = [
  ['getFullYear', 'year', (date) => date.getUTCFullYear()],
  ['getMonth', 'month', (date) => date.getUTCMonth()],
  ['getDayOfYear', 'day_of_year', readDayOfYear],
  ['getDayOfMonth', 'day_of_month', (date) => date.getUTCDate() - 1],
  ['getDate', 'day_of_month_1_based', (date) => date.getUTCDate()],
  ['getDayOfWeek', 'day_of_week', (date) => date.getUTCDay()],
  ['getHours', 'hours', (date) => date.getUTCHours(), (duration) => countWhole(duration, 3_600_000_000_000n)],
  ['getMinutes', 'minutes', (date) => date.getUTCMinutes(), (duration) => countWhole(duration, 60_000_000_000n)],
  ['getSeconds', 'seconds', (date) => date.getUTCSeconds(), (duration) => countWhole(duration, 1_000_000_000n)],
  [
    'getMilliseconds',
    'milliseconds',
    (_date, nanos) => Math.trunc(nanos / 1e6),
    (duration) => toCanonicalInt(duration.nanos / 1_000_000n),
  ],
];

function declareRow([name, part, read, ofDuration]: TimeRow): CelFunction {
  const withZone = part === 'seconds' ? 'timestamp_to_seconds_tz' : `timestamp_to_${part}_with_tz`;
  const members: (readonly [OverloadRow, Implementation])[] = [
    [[`timestamp_to_${part}`, [timestampType], intType], (time) => readTime(time as CelTimestamp, 'UTC', read)],
    [
      [withZone, [timestampType, stringType], intType],
      (time, zone) => readTime(time as CelTimestamp, zone as string, read),
    ],
  ];
  if (ofDuration !== undefined) {
    members.push([
      [`duration_to_${part}`, [durationType], intType],
      (duration: CelValue | undefined) => ofDuration(duration as CelDuration),
    ]);
  }
  return declareMembers(name, members);
}

/** Parts of times and lengths of time. */
export const timeFunctions: readonly CelFunction[] = rows.map(declareRow);
