import { fromByteString } from './byte-string.ts';
import type { ParsedUrl } from './parse-url.ts';
import { UrlError } from './url-error.ts';
import { escapeUrl, needsEscape, unescapeUrl } from './url-escapes.ts';

/** Go reads nothing of a query that has more. */
const maxPairs = 10_000;

/** Host and port of a URL apart; the brackets of an IPv6 address are gone. */
export function splitHost({ host }: ParsedUrl): { hostname: string; port: string } {
  const match = /^(.*):([0-9]*)$/s.exec(host);
  const [hostname, port] = match === null ? [host, ''] : [match[1] ?? '', match[2] ?? ''];
  const isBracketed = hostname.startsWith('[') && hostname.endsWith(']');
  return { hostname: isBracketed ? hostname.slice(1, -1) : hostname, port };
}

function isValidEncoding(bytes: string, part: 'path' | 'fragment'): boolean {
  return Array.from(bytes).every((byte) => "!$&'()*+,;=:@[]%".includes(byte) || !needsEscape(byte, part));
}

/** The path as it was written where that is a valid encoding, else the usual one. */
export function encodePath({ path, rawPath }: ParsedUrl): string {
  if (rawPath !== '' && isValidEncoding(rawPath, 'path')) return rawPath;
  return path === '*' ? '*' : escapeUrl(path, 'path');
}

function encodeFragment({ fragment, rawFragment }: ParsedUrl): string {
  return rawFragment !== '' && isValidEncoding(rawFragment, 'fragment') ? rawFragment : escapeUrl(fragment, 'fragment');
}

function readComponent(bytes: string): string | undefined {
  try {
    return unescapeUrl(bytes, 'query');
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}

/** Values of the query by key; pairs with a wrong escape or a semicolon are left out. */
export function readQuery({ query }: ParsedUrl): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const pairs = query.split('&');
  if (pairs.length > maxPairs) return values;
  for (const pair of pairs) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const key = readComponent(equals < 0 ? pair : pair.slice(0, equals));
    const value = readComponent(equals < 0 ? '' : pair.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const name = fromByteString(key);
    const list = values.get(name);
    if (list === undefined) values.set(name, [fromByteString(value)]);
    else list.push(fromByteString(value));
  }
  return values;
}

function formatUser({ user }: ParsedUrl): string {
  if (user === undefined) return '';
  const password = user.password === undefined ? '' : `:${escapeUrl(user.password, 'user')}`;
  return `${escapeUrl(user.name, 'user')}${password}@`;
}

function formatHierarchy(url: ParsedUrl): string {
  const { scheme, host, user, omitsHost } = url;
  let start = scheme === '' ? '' : `${scheme}:`;
  const hasAuthority = host !== '' || user !== undefined;
  if (hasAuthority || (scheme !== '' && !omitsHost)) {
    if (hasAuthority || url.path !== '') start += '//';
    start += formatUser(url) + escapeUrl(host, 'host');
  }
  const path = encodePath(url);
  if (path !== '' && !path.startsWith('/') && host !== '') start += '/';
  if (start === '' && /^[^/]*:/.test(path)) start = './';
  return start + path;
}

/** The text of a URL by which URLs are compared. */
export function formatUrl(url: ParsedUrl): string {
  const start = url.opaque === '' ? formatHierarchy(url) : `${url.scheme}:${url.opaque}`;
  const query = url.hasEmptyQuery || url.query !== '' ? `?${url.query}` : '';
  return start + query + (url.fragment === '' ? '' : `#${encodeFragment(url)}`);
}
