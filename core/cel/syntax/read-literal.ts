import { CelDouble, CelUint, type CelValue } from '../values/cel-value.ts';

/** A literal's value, or the fault's message. */
export type LiteralReading =
  { readonly value: CelValue; readonly fault?: undefined } | { readonly value?: undefined; readonly fault: string };

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

/** Reads the text of an integer token, with its sign. */
export function readInt(text: string, isNegative: boolean): LiteralReading {
  if (text.length < 15) {
    const value = Number(text);
    return { value: isNegative && value !== 0 ? -value : value };
  }
  const value = isNegative ? -BigInt(text) : BigInt(text);
  if (value < minInt || value > maxInt) return { fault: 'invalid int literal' };
  const rounded = Number(value);
  return { value: Number.isSafeInteger(rounded) ? rounded : value };
}

/** Reads the text of an unsigned integer token, its `u` included. */
export function readUint(text: string): LiteralReading {
  const value = BigInt(text.slice(0, -1));
  return value > maxUint ? { fault: 'invalid uint literal' } : { value: new CelUint(value) };
}

/** Reads the text of a floating-point token, with its sign. */
export function readDouble(text: string, isNegative: boolean): LiteralReading {
  const value = Number(text);
  if (!Number.isFinite(value)) return { fault: 'invalid double literal' };
  return { value: new CelDouble(isNegative ? -value : value) };
}

/** Reads the text of a string token, quotes and prefix included. */
export function readString(text: string): LiteralReading {
  const { content, isRaw } = stripQuotes(text);
  if (isRaw || !content.includes('\\')) return { value: content };
  let value = '';
  let at = 0;
  while (at < content.length) {
    const next = content.indexOf('\\', at);
    if (next < 0) return { value: value + content.slice(at) };
    value += content.slice(at, next);
    const escape = readEscape(content, next);
    if (escape.codePoint > 0x10ffff || (escape.codePoint >= 0xd800 && escape.codePoint < 0xe000)) {
      return { fault: 'invalid unicode code point' };
    }
    value += String.fromCodePoint(escape.codePoint);
    at = escape.end;
  }
  return { value };
}

/** Reads the text of a bytes token, quotes and prefix included. */
export function readBytes(text: string): LiteralReading {
  const { content, isRaw } = stripQuotes(text.slice(1));
  if (isRaw || !content.includes('\\')) return { value: new TextEncoder().encode(content) };
  const bytes: number[] = [];
  let at = 0;
  while (at < content.length) {
    const next = content.indexOf('\\', at);
    const plain = next < 0 ? content.slice(at) : content.slice(at, next);
    for (const byte of new TextEncoder().encode(plain)) bytes.push(byte);
    if (next < 0) break;
    const escape = readEscape(content, next);
    if (escape.isUnicode) return { fault: 'unable to unescape string' };
    bytes.push(escape.codePoint);
    at = escape.end;
  }
  return { value: Uint8Array.from(bytes) };
}

function stripQuotes(text: string): { content: string; isRaw: boolean } {
  const isRaw = text.startsWith('r') || text.startsWith('R');
  const quoted = (isRaw ? text.slice(1) : text).replaceAll(/\r\n?/g, '\n');
  const width = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { content: quoted.slice(width, -width), isRaw };
}

const oneCharacterEscapes: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };
const hexDigits: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** Reads one escape; the scanner admitted only well-formed ones. */
function readEscape(content: string, at: number): { codePoint: number; end: number; isUnicode: boolean } {
  const first = content[at + 1] ?? '';
  const digits = hexDigits[first];
  if (digits !== undefined) {
    const end = at + 2 + digits;
    return { codePoint: Number.parseInt(content.slice(at + 2, end), 16), end, isUnicode: digits > 2 };
  }
  if (first >= '0' && first <= '3') {
    return { codePoint: Number.parseInt(content.slice(at + 1, at + 4), 8), end: at + 4, isUnicode: false };
  }
  return { codePoint: oneCharacterEscapes[first] ?? first.charCodeAt(0), end: at + 2, isUnicode: false };
}
