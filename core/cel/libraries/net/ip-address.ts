import { quoteGo } from '../../../errors/quote-go.ts';

/** An address as its bytes, 4 or 16 of them. */
export interface ParsedAddress {
  readonly bytes: Uint8Array;
  /** What follows a `%`; absent: there is none. */
  readonly zone?: string;
}

/** Why a text is no address, in the words of Go's `netip.ParseAddr`. */
export interface AddressFault {
  readonly fault: string;
}

class AddressError extends Error {}

function refuse(text: string, message: string, at = ''): never {
  throw new AddressError(`ParseAddr(${quoteGo(text)}): ${message}${at === '' ? '' : ` (at ${quoteGo(at)})`}`);
}

function parseOctets(text: string, part: string): number[] {
  const octets: number[] = [];
  let value = 0;
  let digits = 0;
  for (let i = 0; i < part.length; i++) {
    const character = part.charAt(i);
    if (character >= '0' && character <= '9') {
      if (digits === 1 && value === 0) refuse(text, 'IPv4 field has octet with leading zero');
      value = value * 10 + Number(character);
      digits++;
      if (value > 255) refuse(text, 'IPv4 field has value >255');
    } else if (character === '.') {
      if (i === 0 || i === part.length - 1 || part.charAt(i - 1) === '.') {
        refuse(text, 'IPv4 field must have at least one digit', part.slice(i));
      }
      if (octets.length === 3) refuse(text, 'IPv4 address too long');
      octets.push(value);
      value = 0;
      digits = 0;
    } else {
      refuse(text, 'unexpected character', part.slice(i));
    }
  }
  if (octets.length < 3) refuse(text, 'IPv4 address too short');
  return [...octets, value];
}

function readGroup(text: string, rest: string): { value: number; length: number } {
  let length = 0;
  while (length < rest.length && /[0-9a-fA-F]/.test(rest.charAt(length))) {
    length++;
    if (length > 4) refuse(text, 'each group must have 4 or less digits', rest);
  }
  if (length === 0) refuse(text, 'each colon-separated field must have at least one digit', rest);
  return { value: Number.parseInt(rest.slice(0, length), 16), length };
}

function parseGroups(text: string, address: string): Uint8Array {
  let rest = address;
  const bytes: number[] = [];
  let ellipsis = -1;
  if (rest.startsWith('::')) {
    ellipsis = 0;
    rest = rest.slice(2);
    if (rest === '') return new Uint8Array(16);
  }
  while (bytes.length < 16) {
    const { value, length } = readGroup(text, rest);
    if (rest.charAt(length) === '.') {
      if (ellipsis < 0 && bytes.length !== 12) {
        refuse(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest);
      }
      if (bytes.length + 4 > 16) {
        refuse(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      }
      bytes.push(...parseOctets(text, rest));
      rest = '';
      break;
    }
    bytes.push(value >> 8, value & 0xff);
    rest = rest.slice(length);
    if (rest === '') break;
    if (!rest.startsWith(':')) refuse(text, 'unexpected character, want colon', rest);
    if (rest.length === 1) refuse(text, 'colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest.startsWith(':')) {
      if (ellipsis >= 0) refuse(text, 'multiple :: in address', rest);
      ellipsis = bytes.length;
      rest = rest.slice(1);
      if (rest === '') break;
    }
  }
  if (rest !== '') refuse(text, 'trailing garbage after address', rest);
  if (bytes.length < 16) {
    if (ellipsis < 0) refuse(text, 'address string too short');
    bytes.splice(ellipsis, 0, ...Array.from<number>({ length: 16 - bytes.length }).fill(0));
  } else if (ellipsis >= 0) {
    refuse(text, 'the :: must expand to at least one field of zeros');
  }
  return Uint8Array.from(bytes);
}

/** The bytes of an IPv4 address; `undefined` for anything else. */
function parseQuickly(text: string): Uint8Array | undefined {
  const match = /^([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})$/.exec(text);
  if (match === null) return undefined;
  const bytes = new Uint8Array(4);
  for (let i = 0; i < 4; i++) {
    const octet = match[i + 1] ?? '';
    if (octet.length > 1 && octet.startsWith('0')) return undefined;
    if (Number(octet) > 255) return undefined;
    bytes[i] = Number(octet);
  }
  return bytes;
}

function parse(text: string): ParsedAddress {
  const quick = parseQuickly(text);
  if (quick !== undefined) return { bytes: quick };
  const first = /[.:%]/.exec(text)?.[0];
  if (first === '.') return { bytes: Uint8Array.from(parseOctets(text, text)) };
  if (first === '%') refuse(text, 'missing IPv6 address');
  if (first === undefined) refuse(text, 'unable to parse IP');
  const percent = text.indexOf('%');
  if (percent < 0) return { bytes: parseGroups(text, text) };
  const zone = text.slice(percent + 1);
  if (zone === '') refuse(text, 'zone must be a non-empty string');
  return { bytes: parseGroups(text, text.slice(0, percent)), zone };
}

/** Reads an address as strictly as Go's `netip` does, which takes zones. */
export function parseAddress(text: string): ParsedAddress | AddressFault {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof AddressError) return { fault: error.message };
    throw error;
  }
}

/** Whether it is an IPv4 address written as IPv6 (`::ffff:1.2.3.4`). */
export function isMappedAddress(bytes: Uint8Array): boolean {
  return (
    bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  );
}

/** Whether two addresses, or networks, have the same first `bits` bits; of the same family. */
export function sharePrefix(a: Uint8Array, b: Uint8Array, bits: number): boolean {
  const whole = bits >> 3;
  for (let i = 0; i < whole; i++) if (a[i] !== b[i]) return false;
  const mask = (0xff00 >> (bits & 7)) & 0xff;
  return ((a[whole] ?? 0) & mask) === ((b[whole] ?? 0) & mask);
}
