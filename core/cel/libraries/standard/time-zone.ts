import { CelError } from '../../values/cel-value.ts';

const formats = new Map<string, Intl.DateTimeFormat | undefined>();
const maxFormats = 600;

/** How many seconds a time zone is east of UTC at a time; an error for one that is unknown. */
export function findOffset(zone: string, seconds: number): number | CelError {
  const colon = zone.indexOf(':');
  if (colon !== -1) return parseOffset(zone, colon);
  if (zone === '' || zone === 'UTC' || zone === 'Local') return 0;
  if (zone.includes('..') || zone.startsWith('/') || zone.startsWith('\\')) {
    return new CelError('time: invalid location name');
  }
  const format = findFormat(zone);
  if (format === undefined) return new CelError(`unknown time zone ${zone}`);
  const name = format.formatToParts(seconds * 1000).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours = '0', minutes = '0', rest = '0'] =
    /^GMT(?:([+-])(\d+)(?::(\d+))?(?::(\d+))?)?$/.exec(name) ?? [];
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
  return sign === '-' ? -offset : offset;
}

/** An offset of hours and minutes, each as Go's `Atoi` reads it. */
function parseOffset(zone: string, colon: number): number | CelError {
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)].map(parseWhole) as [
    number | CelError,
    number | CelError,
  ];
  if (hours instanceof CelError) return hours;
  if (minutes instanceof CelError) return minutes;
  return (zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes) * 60;
}

function parseWhole(text: string): number | CelError {
  if (!/^[+-]?\d+$/.test(text)) return new CelError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = Number(text);
  return Math.abs(value) <= 2 ** 53
    ? value
    : new CelError(`strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`);
}

function findFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  if (formats.size >= maxFormats) formats.clear();
  const format = makeFormat(zone);
  formats.set(zone, format);
  return format;
}

/** Intl knows zones whatever their case, and offsets; the names of files, which Go reads, are exact. */
function makeFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (!/^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/.test(zone)) return undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const resolved = format.resolvedOptions().timeZone;
    return resolved.toLowerCase() === zone.toLowerCase() && resolved !== zone ? undefined : format;
  } catch {
    return undefined;
  }
}
