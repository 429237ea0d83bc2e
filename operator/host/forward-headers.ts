import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../core/meta/user-info.ts';

/** In whose name a request goes to the host: with the caller's own token, as this program itself, or by this program for somebody. */
export type ForwardIdentity =
  { readonly as: 'caller' } | { readonly as: 'self' } | { readonly as: 'impersonated'; readonly user: UserInfo };

/** Header names in lower case with every value. */
export type DistinctHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Headers about one connection, not about the request (RFC 9110, 7.6.1), and those that the new request gets anew. */
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
]);

function listConnectionHeaders(headers: DistinctHeaders): Set<string> {
  const named = (headers['connection'] ?? []).flatMap((value) => value.split(','));
  return new Set([...connectionHeaders, ...named.map((name) => name.trim().toLowerCase())]);
}

/** Headers about the bytes of an answer, which are others once it is rewritten. */
const bodyHeaders = ['content-length', 'etag', 'last-modified', 'accept-ranges', 'content-range'];

/** What leaves out of a request that its answer may come compressed, in part or not at all: it is to be rewritten. */
export const wholeAnswer: Readonly<Record<string, undefined>> = {
  'accept-encoding': undefined,
  'if-none-match': undefined,
  'if-modified-since': undefined,
  'if-range': undefined,
  range: undefined,
};

/** Identities of a front proxy are no client's to give, whatever headers the host has for them. */
function isIdentityHeader(name: string): boolean {
  return name.startsWith('x-remote-');
}

function isImpersonationHeader(name: string): boolean {
  return name.startsWith('impersonate-');
}

/** Whom the host adds to everybody by itself; to ask for it would need a right of its own. */
const impliedGroup = 'system:authenticated';
const credentialIdKey = 'authentication.kubernetes.io/credential-id';

function describeImpersonated(user: UserInfo): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'impersonate-user': user.username };
  const groups = user.groups.filter((group) => group !== impliedGroup);
  if (groups.length > 0) headers['impersonate-group'] = groups;
  if (user.uid !== undefined && user.uid !== '') headers['impersonate-uid'] = user.uid;
  for (const [key, values] of Object.entries(user.extra ?? {})) {
    if (key !== credentialIdKey && values.length > 0)
      headers[`impersonate-extra-${encodeURIComponent(key)}`] = [...values];
  }
  return headers;
}

/** The headers of a request as the host is to get them: without the connection's, in the name of `identity`, and saying who called. */
export function composeForwardHeaders(
  given: DistinctHeaders,
  identity: ForwardIdentity,
  caller: { readonly address: string; readonly auditId: string },
): Record<string, string | string[]> {
  const dropped = listConnectionHeaders(given);
  const headers: Record<string, string | string[]> = {};
  for (const [name, values] of Object.entries(given)) {
    if (values === undefined || dropped.has(name) || isIdentityHeader(name)) continue;
    if (name === 'authorization' && identity.as !== 'caller') continue;
    if (isImpersonationHeader(name) && identity.as === 'impersonated') continue;
    headers[name] = values.length === 1 ? (values[0] ?? '') : [...values];
  }
  if (identity.as === 'impersonated') Object.assign(headers, describeImpersonated(identity.user));
  headers['audit-id'] = caller.auditId;
  headers['x-forwarded-for'] = [...(given['x-forwarded-for'] ?? []), caller.address].join(', ');
  return headers;
}

/** The headers of an answer as the client is to get them; `isRewritten`: its body has another length and other bytes. */
export function listAnswerHeaders(headers: DistinctHeaders, isRewritten: boolean): (readonly [string, string[]])[] {
  const dropped = listConnectionHeaders(headers);
  if (isRewritten) for (const name of bodyHeaders) dropped.add(name);
  return Object.entries(headers).flatMap(([name, values]) =>
    values === undefined || dropped.has(name) ? [] : [[name, [...values]] as const],
  );
}

/** Whether a request has a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
