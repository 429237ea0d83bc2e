import { quoteGo } from '../../../errors/quote-go.ts';
import { parseAddress } from '../net/ip-address.ts';
import { rememberTexts } from '../remember-texts.ts';
import { fromByteString, toByteString } from './byte-string.ts';
import { UrlError } from './url-error.ts';
import { unescapeUrl } from './url-escapes.ts';

/** A URL as Go's `net/url` reads it. All texts are byte strings; absent parts are empty. */
export interface ParsedUrl {
  readonly scheme: string;
  /** What follows the scheme of a URL without a path. */
  readonly opaque: string;
  /** Escapes are gone, as they are in `host`, `path` and `fragment`. */
  readonly user?: { readonly name: string; readonly password?: string };
  /** With its port. */
  readonly host: string;
  readonly path: string;
  /** As written. */
  readonly rawPath: string;
  readonly query: string;
  /** Whether the URL ends in a `?` of an empty query. */
  readonly hasEmptyQuery: boolean;
  /** Whether it has a scheme and a path, and no `//` between. */
  readonly omitsHost: boolean;
  readonly fragment: string;
  /** As written. */
  readonly rawFragment: string;
}

/** Why a text is no URL. */
export interface UrlFault {
  readonly fault: string;
}

const empty: ParsedUrl = {
  scheme: '',
  opaque: '',
  host: '',
  path: '',
  rawPath: '',
  query: '',
  hasEmptyQuery: false,
  omitsHost: false,
  fragment: '',
  rawFragment: '',
};

function cut(text: string, separator: string): [before: string, after: string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}

function splitScheme(url: string): [scheme: string, rest: string] {
  if (url.startsWith(':')) throw new UrlError('missing protocol scheme');
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(url);
  return match === null ? ['', url] : [(match[1] ?? '').toLowerCase(), url.slice(match[0].length)];
}

function checkPort(text: string): void {
  if (!/^(?::[0-9]*)?$/.test(text)) {
    throw new UrlError(`invalid port ${quoteGo(fromByteString(text))} after host`);
  }
}

function parseBracketed(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const name = host.slice(1, close);
  const zone = name.indexOf('%25');
  const address =
    zone < 0
      ? unescapeUrl(name, 'host')
      : unescapeUrl(name.slice(0, zone), 'host') + unescapeUrl(name.slice(zone), 'zone');
  const parsed = parseAddress(fromByteString(address));
  if ('fault' in parsed) throw new UrlError(`invalid host: ${parsed.fault}`);
  if (parsed.bytes.length === 4) throw new UrlError('invalid IP-literal');
  return `[${address}]${port}`;
}

function parseHost(host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new UrlError('invalid IP-literal');
  if (open === 0) return parseBracketed(host);
  // A list of hosts with ports is let through.
  const colon = host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescapeUrl(host, 'host');
}

function parseUser(info: string): ParsedUrl['user'] {
  if (!/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(info)) throw new UrlError('net/url: invalid userinfo');
  const [name, password] = cut(info, ':');
  return {
    name: unescapeUrl(name, 'user'),
    ...(password === undefined ? {} : { password: unescapeUrl(password, 'user') }),
  };
}

function parseAuthority(authority: string): Pick<ParsedUrl, 'host' | 'user'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(authority.slice(at + 1));
  const user = at < 0 ? undefined : parseUser(authority.slice(0, at));
  return { host, ...(user === undefined ? {} : { user }) };
}

function splitQuery(text: string): [rest: string, query: string, hasEmptyQuery: boolean] {
  const [rest, query] = cut(text, '?');
  return [rest, query ?? '', query === ''];
}

function checkRootless(rest: string, isRequest: boolean): void {
  if (isRequest) throw new UrlError('invalid URI for request');
  if (cut(rest, '/')[0].includes(':')) throw new UrlError('first path segment in URL cannot contain colon');
}

function parse(url: string, isRequest: boolean): ParsedUrl {
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x1f\x7f]/.test(url)) throw new UrlError('net/url: invalid control character in URL');
  if (url === '' && isRequest) throw new UrlError('empty url');
  if (url === '*') return { ...empty, path: '*' };
  const [scheme, afterScheme] = splitScheme(url);
  const [hierarchy, query, hasEmptyQuery] = splitQuery(afterScheme);
  let rest = hierarchy;
  const parsed = { ...empty, scheme, query, hasEmptyQuery };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parsed, opaque: rest };
    checkRootless(rest, isRequest);
  }
  let authority: Pick<ParsedUrl, 'host' | 'user'> = { host: '' };
  let omitsHost = false;
  if (rest.startsWith('//') && (scheme !== '' || (!isRequest && !rest.startsWith('///')))) {
    const slash = rest.indexOf('/', 2);
    const end = slash < 0 ? rest.length : slash;
    authority = parseAuthority(rest.slice(2, end));
    rest = rest.slice(end);
  } else if (scheme !== '' && rest.startsWith('/')) {
    omitsHost = true;
  }
  return { ...parsed, ...authority, omitsHost, path: unescapeUrl(rest, 'path'), rawPath: rest };
}

function tryParse(url: string, parts: () => ParsedUrl): ParsedUrl | UrlFault {
  try {
    return parts();
  } catch (error) {
    if (error instanceof UrlError) return { fault: `parse ${quoteGo(url)}: ${error.message}` };
    throw error;
  }
}

/** Reads an absolute URL or an absolute path; a fragment is not known as such. */
export const parseRequestUri = rememberTexts((text) => tryParse(text, () => parse(toByteString(text), true)));

/** Reads any URL, its fragment included. */
export const parseUrl = rememberTexts((text): ParsedUrl | UrlFault => {
  const [url, fragment = ''] = cut(text, '#');
  const parsed = tryParse(url, () => parse(toByteString(url), false));
  if ('fault' in parsed || fragment === '') return parsed;
  const rawFragment = toByteString(fragment);
  return tryParse(text, () => ({ ...parsed, rawFragment, fragment: unescapeUrl(rawFragment, 'fragment') }));
});
