import { quoteGo } from '../../../errors/quote-go.ts';
import { fromByteString } from './byte-string.ts';
import { UrlError } from './url-error.ts';

/** Parts of a URL, each with characters of its own that need no escape. */
export type UrlPart = 'path' | 'host' | 'zone' | 'user' | 'query' | 'fragment';

const plainByPart: Readonly<Record<UrlPart, RegExp>> = {
  path: /[A-Za-z0-9_.~$&+,/:;=@-]/,
  host: /[A-Za-z0-9_.~!$&'()*+,;=:[\]<>"-]/,
  zone: /[A-Za-z0-9_.~!$&'()*+,;=:[\]<>"-]/,
  user: /[A-Za-z0-9_.~$&+,;=-]/,
  query: /[A-Za-z0-9_.~-]/,
  fragment: /[A-Za-z0-9_.~$&+,/:;=?@!()*-]/,
};

/** Bytes that stand for themselves in every part, before and after escapes are undone. */
const plainEverywhere = /^[A-Za-z0-9_.~:-]*$/;

/** Whether a byte needs an escape in a part. */
export function needsEscape(byte: string, part: UrlPart): boolean {
  return !plainByPart[part].test(byte);
}

/** Bytes with escapes where a part needs them. */
export function escapeUrl(bytes: string, part: UrlPart): string {
  let escaped = '';
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.charAt(i);
    escaped += needsEscape(byte, part) ? `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}` : byte;
  }
  return escaped;
}

function quoteBytes(bytes: string): string {
  const text = fromByteString(bytes);
  if (!text.includes('\ufffd')) return quoteGo(text);
  // A character that was cut: Go prints its bytes.
  const escaped = Array.from(bytes, (byte) =>
    byte > '\x7f' ? `\\x${byte.charCodeAt(0).toString(16)}` : quoteGo(byte).slice(1, -1),
  );
  return `"${escaped.join('')}"`;
}

function refuseEscape(bytes: string): never {
  throw new UrlError(`invalid URL escape ${quoteBytes(bytes)}`);
}

function checkEscape(bytes: string, at: number, part: UrlPart): void {
  const triple = bytes.slice(at, at + 3);
  if (!/^%[0-9a-fA-F]{2}$/.test(triple)) refuseEscape(triple);
  if (triple === '%25') return;
  const byte = String.fromCharCode(Number.parseInt(triple.slice(1), 16));
  if (part === 'host' && byte < '\x80') refuseEscape(triple);
  if (part === 'zone' && byte !== ' ' && needsEscape(byte, 'host')) refuseEscape(triple);
}

/** Bytes without their escapes; throws UrlError on a wrong one, or on a byte that may not stand in a host. */
export function unescapeUrl(bytes: string, part: UrlPart): string {
  if (plainEverywhere.test(bytes)) return bytes;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.charAt(i);
    if (byte === '%') {
      checkEscape(bytes, i, part);
      i += 2;
    } else if ((part === 'host' || part === 'zone') && byte < '\x80' && needsEscape(byte, part)) {
      throw new UrlError(`invalid character ${quoteGo(byte)} in host name`);
    }
  }
  const spaced = part === 'query' ? bytes.replaceAll('+', ' ') : bytes;
  return spaced.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
