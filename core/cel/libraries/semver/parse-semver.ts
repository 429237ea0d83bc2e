import { quoteGo } from '../../../errors/quote-go.ts';

/** A version by semver.org, build metadata aside, which orders nothing. */
export interface SemverVersion {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Parts of the pre-release; a number is a bigint. */
  readonly prerelease: readonly (string | bigint)[];
}

/** Why a text is no version, in Kubernetes' words. */
export interface SemverFault {
  readonly fault: string;
}

class SemverError extends Error {}

const identifier = /^[A-Za-z0-9-]*$/;
const maxUint64 = 2n ** 64n - 1n;

function parseUint64(text: string): bigint {
  if (text === '') throw new SemverError('strconv.ParseUint: parsing "": invalid syntax');
  // A longer number need not be converted to be known as too great.
  const value = text.length > 20 ? maxUint64 + 1n : BigInt(text);
  if (value > maxUint64) throw new SemverError(`strconv.ParseUint: parsing ${quoteGo(text)}: value out of range`);
  return value;
}

function parseNumber(text: string, name: string): bigint {
  if (!/^[0-9]*$/.test(text)) throw new SemverError(`Invalid character(s) found in ${name} number ${quoteGo(text)}`);
  if (/^0./.test(text)) {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    throw new SemverError(`${title} number must not contain leading zeroes ${quoteGo(text)}`);
  }
  return parseUint64(text);
}

function parsePrerelease(part: string): string | bigint {
  if (part === '') throw new SemverError('Prerelease is empty');
  if (!identifier.test(part)) throw new SemverError(`Invalid character(s) found in prerelease ${quoteGo(part)}`);
  if (!/^[0-9]+$/.test(part)) return part;
  if (/^0./.test(part)) {
    throw new SemverError(`Numeric PreRelease version must not contain leading zeroes ${quoteGo(part)}`);
  }
  return parseUint64(part);
}

function checkBuild(part: string): void {
  if (part === '') throw new SemverError('Build meta data is empty');
  if (!identifier.test(part)) throw new SemverError(`Invalid character(s) found in build meta data ${quoteGo(part)}`);
}

/** Splits at the first two dots. */
function splitVersion(text: string): string[] {
  const [major = '', minor, ...rest] = text.split('.');
  if (minor === undefined) return [major];
  return rest.length === 0 ? [major, minor] : [major, minor, rest.join('.')];
}

function parse(text: string): SemverVersion {
  if (text === '') throw new SemverError('Version string empty');
  const [majorText = '', minorText = '', tail] = splitVersion(text);
  if (tail === undefined) throw new SemverError('No Major.Minor.Patch elements found');
  const major = parseNumber(majorText, 'major');
  const minor = parseNumber(minorText, 'minor');
  const plus = tail.indexOf('+');
  const build = plus < 0 ? [] : tail.slice(plus + 1).split('.');
  const unbuilt = plus < 0 ? tail : tail.slice(0, plus);
  const dash = unbuilt.indexOf('-');
  const patch = parseNumber(dash < 0 ? unbuilt : unbuilt.slice(0, dash), 'patch');
  const prerelease = (dash < 0 ? [] : unbuilt.slice(dash + 1).split('.')).map(parsePrerelease);
  build.forEach(checkBuild);
  return { major, minor, patch, prerelease };
}

function normalizePart(part: string): string {
  // One byte is left as it is; one character may be more.
  if (part === '' || (part.length === 1 && part < '\x80')) return part;
  const stripped = part.replace(/^0+/, '');
  return /^[0-9]/.test(stripped) ? stripped : `0${stripped}`;
}

function normalize(text: string): string {
  const parts = splitVersion(text.replace(/^v/, '')).map(normalizePart);
  if (parts.length < 3) {
    if (/[+-]/.test(parts.at(-1) ?? '')) {
      throw new SemverError('short version cannot contain PreRelease/Build meta data');
    }
    while (parts.length < 3) parts.push('0');
  }
  return parts.join('.');
}

/** Reads a version; `isLenient` also takes a leading `v`, leading zeros, and fewer than three numbers. */
export function parseSemver(text: string, isLenient: boolean): SemverVersion | SemverFault {
  try {
    return parse(isLenient ? normalize(text) : text);
  } catch (error) {
    if (error instanceof SemverError) return { fault: error.message };
    throw error;
  }
}

function order<T extends string | bigint>(a: T, b: T): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparePrereleaseParts(a: string | bigint, b: string | bigint): -1 | 0 | 1 {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? order(a, b) : -1;
  return typeof b === 'bigint' ? 1 : order(a, b);
}

/** Orders versions by precedence. */
export function compareSemvers(a: SemverVersion, b: SemverVersion): -1 | 0 | 1 {
  const byNumber = order(a.major, b.major) || order(a.minor, b.minor) || order(a.patch, b.patch);
  if (byNumber !== 0) return byNumber;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return order(BigInt(a.prerelease.length === 0), BigInt(b.prerelease.length === 0));
  }
  for (let i = 0; i < a.prerelease.length && i < b.prerelease.length; i++) {
    const byPart = comparePrereleaseParts(a.prerelease[i] ?? '', b.prerelease[i] ?? '');
    if (byPart !== 0) return byPart;
  }
  return order(BigInt(a.prerelease.length), BigInt(b.prerelease.length));
}
