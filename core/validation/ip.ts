import type { FieldError } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { makeInvalid } from '../errors/make-field-error.ts';
import { quoteGo } from '../errors/quote-go.ts';

/** An address. `bytes` is 4 long for IPv4 and for IPv4-mapped IPv6, else 16. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bytes: readonly number[];
  /** Written as IPv6 that maps an IPv4 address (`::ffff:1.2.3.4`). */
  readonly isMapped: boolean;
  /** Written with leading zeros in an IPv4 octet. */
  readonly hasLeadingZeros: boolean;
}

/** A network. `address` is as written, `network` has the bits beyond the prefix cleared. */
export interface Cidr {
  readonly address: IpAddress;
  readonly network: IpAddress;
  readonly prefixLength: number;
  readonly hasLeadingZeros: boolean;
}

interface Octets {
  readonly bytes: number[];
  readonly hasLeadingZeros: boolean;
}

function parseOctets(text: string): Octets | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255)) return undefined;
  return {
    bytes: parts.map(Number),
    hasLeadingZeros: parts.some((part) => part.length > 1 && part.startsWith('0')),
  };
}

function parseGroups(text: string): Octets | undefined {
  if (text === '') return { bytes: [], hasLeadingZeros: false };
  const groups = text.split(':');
  const bytes: number[] = [];
  let hasLeadingZeros = false;
  for (const [i, group] of groups.entries()) {
    if (i === groups.length - 1 && group.includes('.')) {
      const octets = parseOctets(group);
      if (octets === undefined) return undefined;
      bytes.push(...octets.bytes);
      hasLeadingZeros = octets.hasLeadingZeros;
    } else {
      if (!/^[0-9a-fA-F]+$/.test(group) || Number.parseInt(group, 16) > 0xffff) return undefined;
      // Kubernetes' lenient parser takes 00001 for a group; the strict one does not.
      if (group.length > 4) hasLeadingZeros = true;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return { bytes, hasLeadingZeros };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2 || (halves.length === 2 && (halves[0] ?? '').includes('.'))) return undefined;
  const head = parseGroups(halves[0] ?? '');
  const tail = parseGroups(halves[1] ?? '');
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.bytes.length - tail.bytes.length;
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined;
  const bytes = [...head.bytes, ...Array.from<number>({ length: missing }).fill(0), ...tail.bytes];
  const hasLeadingZeros = head.hasLeadingZeros || tail.hasLeadingZeros;
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (isMapped) return { family: 4, bytes: bytes.slice(12), isMapped, hasLeadingZeros };
  return { family: 6, bytes, isMapped, hasLeadingZeros };
}

/** Reads an address leniently, as Kubernetes' legacy fields do (leading zeros and mapped addresses pass); `undefined` when it is none. */
export function parseIp(text: string): IpAddress | undefined {
  const first = /[.:]/.exec(text)?.[0];
  if (first === ':') return parseIpv6(text);
  const octets = parseOctets(text);
  return octets === undefined ? undefined : { family: 4, isMapped: false, ...octets };
}

function formatIpv6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  let bestStart = -1;
  let bestLength = 1;
  for (let start = 0; start < 8; start += 1) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length += 1;
    if (length > bestLength) [bestStart, bestLength] = [start, length];
  }
  const hex = groups.map((group) => group.toString(16));
  if (bestStart < 0) return hex.join(':');
  return `${hex.slice(0, bestStart).join(':')}::${hex.slice(bestStart + bestLength).join(':')}`;
}

/** The canonical text of an address (RFC 5952; a mapped one as IPv4). */
export function formatIp(address: IpAddress): string {
  return address.family === 4 ? address.bytes.join('.') : formatIpv6(address.bytes);
}

function maskBytes(bytes: readonly number[], prefixLength: number): number[] {
  return bytes.map((byte, i) => byte & (0xff << Math.max(0, 8 - Math.max(0, prefixLength - 8 * i))) & 0xff);
}

/** Reads a network in CIDR notation leniently, host bits allowed; `undefined` when it is none. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const lengthText = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]+$/.test(lengthText)) return undefined;
  const written = Number(lengthText);
  const isWrittenAs6 = address.family === 6 || address.isMapped;
  if (written > (isWrittenAs6 ? 128 : 32)) return undefined;
  const prefixLength = address.isMapped ? Math.max(0, written - 96) : written;
  const network = { ...address, bytes: maskBytes(address.bytes, prefixLength) };
  const hasLeadingZeros = address.hasLeadingZeros || (lengthText.length > 1 && lengthText.startsWith('0'));
  return { address, network, prefixLength, hasLeadingZeros };
}

/** The canonical text of a network. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp(cidr.network)}/${cidr.prefixLength}`;
}

/** Whether a network holds every address of another. */
export function cidrContains(outer: Cidr, inner: Cidr): boolean {
  if (outer.network.family !== inner.network.family || inner.prefixLength < outer.prefixLength) return false;
  const masked = maskBytes(inner.network.bytes, outer.prefixLength);
  return masked.every((byte, i) => byte === outer.network.bytes[i]);
}

/** Whether two networks are the very same, or one is strictly inside the other: `strict` excludes equality. */
export function cidrContainsStrictly(outer: Cidr, inner: Cidr): boolean {
  return inner.prefixLength > outer.prefixLength && cidrContains(outer, inner);
}

/**
 * Faults of an address in a field that predates strict checks. `strict` also refuses leading zeros and mapped addresses
 * (Kubernetes 1.34 does not by default).
 */
export function validateLegacyIp(value: string, path: FieldPath, strict = false): FieldError[] {
  const address = parseIp(value);
  if (address === undefined) {
    return [makeInvalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  }
  const errors: FieldError[] = [];
  if (strict && address.hasLeadingZeros) errors.push(makeInvalid(path, value, 'must not have leading 0s'));
  if (strict && address.isMapped && !address.hasLeadingZeros) {
    errors.push(makeInvalid(path, value, 'must not be an IPv4-mapped IPv6 address'));
  }
  return errors;
}

/** Faults of an address in a new field: strict and canonical. */
export function validateIp(value: string, path: FieldPath): FieldError[] {
  const errors = validateLegacyIp(value, path, true);
  const address = parseIp(value);
  if (errors.length > 0 || address === undefined || formatIp(address) === value) return errors;
  return [makeInvalid(path, value, `must be in canonical form (${quoteGo(formatIp(address))})`)];
}

/** Faults of a network in a field that predates strict checks; `strict` also refuses leading zeros, mapped addresses and host bits. */
export function validateLegacyCidr(value: string, path: FieldPath, strict = false): FieldError[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) {
    return [makeInvalid(path, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
  }
  if (!strict) return [];
  if (cidr.hasLeadingZeros) {
    return [makeInvalid(path, value, 'must not have leading 0s in IP or prefix length')];
  }
  if (cidr.address.isMapped) return [makeInvalid(path, value, 'must not have an IPv4-mapped IPv6 address')];
  if (formatIp(cidr.address) !== formatIp(cidr.network)) {
    return [makeInvalid(path, value, 'must not have bits set beyond the prefix length')];
  }
  return [];
}

/** Faults of a network in a new field: strict and canonical. */
export function validateCidr(value: string, path: FieldPath): FieldError[] {
  const errors = validateLegacyCidr(value, path, true);
  const cidr = parseCidr(value);
  if (errors.length > 0 || cidr === undefined || formatCidr(cidr) === value) return errors;
  return [makeInvalid(path, value, `must be in canonical form (${quoteGo(formatCidr(cidr))})`)];
}

/** Warnings about an address that passed validateLegacyIp but is not in its standard form; empty when it is. */
export function warnOfIp(value: string, path: FieldPath): string[] {
  const address = parseIp(value);
  if (address === undefined) return [];
  const canonical = quoteGo(formatIp(address));
  if (address.hasLeadingZeros || address.isMapped) {
    const rule = 'will be considered invalid in a future Kubernetes release';
    return [`${path.toString()}: non-standard IP address ${quoteGo(value)} ${rule}: use ${canonical}`];
  }
  if (address.family === 6 && formatIp(address) !== value) {
    return [`${path.toString()}: IPv6 address ${quoteGo(value)} should be in RFC 5952 canonical format (${canonical})`];
  }
  return [];
}

/** Warnings about a network that passed validateLegacyCidr but is ambiguous or not in its standard form; empty when it is. */
export function warnOfCidr(value: string, path: FieldPath): string[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return [];
  const warnings: string[] = [];
  const canonical = quoteGo(formatCidr(cidr));
  const address = formatIp(cidr.address);
  if (address !== formatIp(cidr.network)) {
    const single = quoteGo(`${address}/${cidr.address.family === 4 && !cidr.address.isMapped ? 32 : 128}`);
    const doubt = `is ambiguous in this context (should be ${canonical} or ${single}?)`;
    warnings.push(`${path.toString()}: CIDR value ${quoteGo(value)} ${doubt}`);
  }
  if (cidr.hasLeadingZeros || cidr.address.isMapped) {
    const rule = 'will be considered invalid in a future Kubernetes release';
    warnings.push(`${path.toString()}: non-standard CIDR value ${quoteGo(value)} ${rule}: use ${canonical}`);
  }
  if (warnings.length === 0 && cidr.address.family === 6 && formatCidr(cidr) !== value) {
    warnings.push(
      `${path.toString()}: IPv6 CIDR value ${quoteGo(value)} should be in RFC 5952 canonical format (${canonical})`,
    );
  }
  return warnings;
}
