import { isIP } from 'node:net';
import { formatGoDuration } from '../../core/time/format-go-duration.ts';
import { parseGoDuration } from '../../core/time/parse-go-duration.ts';
import { findGateFault } from './feature-gates.ts';

/** The value of a flag, or why it cannot be one. */
export type Parsed<T> = { readonly value: T } | { readonly fault: string };

/** Reads a text that has no faults. */
export function parseChecked(check: (value: string) => string[]) {
  return (value: string): Parsed<string> => {
    const faults = check(value);
    return faults.length === 0 ? { value } : { fault: faults.join('; ') };
  };
}

/** Reads one of these words. */
export function parseWord<T extends string>(words: readonly T[]) {
  return (value: string): Parsed<T> => {
    const word = words.find((candidate) => candidate === value);
    return word === undefined ? { fault: `must be one of ${words.join(', ')}` } : { value: word };
  };
}

/** Reads a port, 0 for any. */
export function parsePort(value: string): Parsed<number> {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
  return number <= 65_535 ? { value: number } : { fault: 'must be a port, 0 to 65535' };
}

/** Reads a boolean as Go does: 1, t, true and the like. */
export function parseBoolean(value: string): Parsed<boolean> {
  if (/^(1|t|T|TRUE|true|True)$/.test(value)) return { value: true };
  return /^(0|f|F|FALSE|false|False)$/.test(value) ? { value: false } : { fault: 'must be true or false' };
}

/** Reads an IP address. */
export function parseAddress(value: string): Parsed<string> {
  return isIP(value) === 0 ? { fault: 'must be an IP address' } : { value };
}

/** Reads IP addresses with commas, at most one of each family. */
export function parseAddresses(value: string): Parsed<readonly string[]> {
  const addresses = value.split(',').map((text) => text.trim());
  if (addresses.some((address) => isIP(address) === 0)) return { fault: 'must be an IP address, or two with a comma' };
  const families = new Set(addresses.map((address) => isIP(address)));
  if (families.size !== addresses.length) return { fault: 'must not have two addresses of one family' };
  return { value: addresses };
}

/** Reads a duration that is positive, in canonical form. */
export function parseDuration(value: string): Parsed<string> {
  const duration = parseGoDuration(value);
  if ('fault' in duration) return duration;
  return duration.millis > 0 ? { value: formatGoDuration(duration.millis) } : { fault: 'must be positive' };
}

/** Reads feature gates such as `A=true,B=false`. */
export function parseGates(value: string): Parsed<ReadonlyMap<string, boolean>> {
  const gates = new Map<string, boolean>();
  for (const pair of value.split(',').filter((text) => text.trim() !== '')) {
    const mark = pair.indexOf('=');
    if (mark < 0) return { fault: 'malformed pair, expect string=bool' };
    const name = pair.slice(0, mark).trim();
    const text = pair.slice(mark + 1).trim();
    const parsed = parseBoolean(text);
    if ('fault' in parsed) return { fault: `invalid value of ${name}: ${text}, ${parsed.fault}` };
    const fault = findGateFault(name, parsed.value);
    if (fault !== undefined) return { fault };
    gates.set(name, parsed.value);
  }
  return { value: gates };
}
