import { setOwn } from '../../../core/meta/json.ts';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type {
  AuthenticationRequest,
  AuthenticationResult,
  Authenticator,
  DistinctHeaders,
} from '../../apiserver/authn/authenticator.ts';
import { addAuthenticatedGroup } from '../../../platform/authentication/authenticated-group.ts';
import type { ClientCertificate } from '../../../platform/authentication/client-certificate.ts';
import { findAnonymousUser } from '../../apiserver/authn/request-authenticator.ts';
import type { FrontProxySettings } from './front-proxy-settings.ts';

function findFirst(headers: DistinctHeaders, names: readonly string[]): string {
  for (const name of names) {
    const value = headers[name]?.[0] ?? '';
    if (value !== '') return value;
  }
  return '';
}

function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A malformed escape stays as it is: it is still recorded and authorized.
    return text;
  }
}

function readExtra(headers: DistinctHeaders, prefixes: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [header, values] of Object.entries(headers)) {
    const prefix = prefixes.find((candidate) => header.startsWith(candidate));
    if (prefix === undefined || values === undefined) continue;
    const key = decodeKey(header.slice(prefix.length));
    setOwn(extra, key, [...(Object.hasOwn(extra, key) ? (extra[key] ?? []) : []), ...values]);
  }
  return extra;
}

/** Whether a certificate is one that the host speaks through. The listener has verified its chain, perhaps before the settings changed. */
function isProxy({ commonName, issuers }: ClientCertificate, settings: FrontProxySettings): boolean {
  if (!issuers.some((issuer) => settings.fingerprints.has(issuer))) return false;
  return settings.allowedNames.length === 0 || settings.allowedNames.includes(commonName);
}

function readUser(headers: DistinctHeaders, settings: FrontProxySettings): UserInfo | undefined {
  const username = findFirst(headers, settings.usernameHeaders);
  if (username === '') return undefined;
  const uid = findFirst(headers, settings.uidHeaders);
  const groups = settings.groupHeaders.flatMap((name) => headers[name] ?? []).filter((group) => group !== '');
  return { username, groups, extra: readExtra(headers, settings.extraPrefixes), ...(uid === '' ? {} : { uid }) };
}

/**
 * Believes a host's front proxy, and nobody else, who makes a request: tokens and other certificates are refused. The health paths are
 * open, as everywhere.
 */
export class FrontProxyAuthenticator implements Authenticator {
  readonly #read: () => FrontProxySettings | undefined;

  /** `read` gives the settings of the moment; `undefined`: nobody is believed. */
  constructor(read: () => FrontProxySettings | undefined) {
    this.#read = read;
  }

  async authenticate({ path, headers, clientCertificate }: AuthenticationRequest): Promise<AuthenticationResult> {
    const settings = this.#read();
    if (settings !== undefined && clientCertificate !== undefined && isProxy(clientCertificate, settings)) {
      const user = readUser(headers, settings);
      if (user !== undefined) return { authenticated: true, user: addAuthenticatedGroup(user) };
    }
    const user = findAnonymousUser(path);
    return user === undefined ? { authenticated: false } : { authenticated: true, user };
  }
}
