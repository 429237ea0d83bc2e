import type { UserInfo } from '../../../core/meta/user-info.ts';
import type {
  AuthenticationRequest,
  AuthenticationResult,
  Authenticator,
  ClientCertificate,
  TokenAuthenticator,
} from './authenticator.ts';

const authenticatedGroup = 'system:authenticated';
const unauthenticatedGroup = 'system:unauthenticated';
const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** Who makes requests without credentials to the paths that are open to them. */
const anonymousUser: UserInfo = { username: 'system:anonymous', groups: [unauthenticatedGroup] };

const anonymousPath = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/** Adds the group of everybody who has an identity. */
export function addAuthenticatedGroup(user: UserInfo): UserInfo {
  const { groups } = user;
  if (groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup)) return user;
  return { ...user, groups: [...groups, authenticatedGroup] };
}

/** The user of requests without credentials to a path that is open to them; `undefined` for every other path. */
export function findAnonymousUser(path: string): UserInfo | undefined {
  return anonymousPath.test(path) ? anonymousUser : undefined;
}

function readCertificateUser(certificate: ClientCertificate | undefined): UserInfo | undefined {
  if (certificate === undefined || certificate.commonName === '') return undefined;
  return {
    username: certificate.commonName,
    groups: certificate.organizations,
    extra: { [credentialIdKey]: [`X509SHA256=${certificate.sha256}`] },
  };
}

/** The token of a bearer authorization; `undefined` when the header is absent or of another scheme. */
export function readBearerToken(authorization: string | undefined): string | undefined {
  const [scheme = '', token = ''] = (authorization ?? '').trim().split(' ', 3);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** Asks one token authenticator after the other; the first that knows the token decides, of several faults all are told. */
export async function authenticateToken(
  authenticators: readonly TokenAuthenticator[],
  token: string,
  audiences?: readonly string[],
): Promise<AuthenticationResult> {
  const faults: string[] = [];
  for (const authenticator of authenticators) {
    const result = await authenticator.authenticateToken(token, audiences);
    if (result?.authenticated === true) return { ...result, user: addAuthenticatedGroup(result.user) };
    if (result?.fault !== undefined) faults.push(result.fault);
  }
  const texts = ['invalid bearer token', ...faults];
  return { authenticated: false, fault: texts.length === 1 ? texts.join() : `[${texts.join(', ')}]` };
}

/**
 * Authenticates by client certificate, else by bearer token. A request without credentials is nobody's, except at the health paths,
 * where it is the anonymous user's; wrong credentials are refused everywhere.
 */
export class RequestAuthenticator implements Authenticator {
  readonly #tokenAuthenticators: readonly TokenAuthenticator[];

  constructor(options: { readonly tokenAuthenticators: readonly TokenAuthenticator[] }) {
    this.#tokenAuthenticators = options.tokenAuthenticators;
  }

  async authenticate(request: AuthenticationRequest): Promise<AuthenticationResult> {
    const certificateUser = readCertificateUser(request.clientCertificate);
    if (certificateUser !== undefined) return { authenticated: true, user: addAuthenticatedGroup(certificateUser) };
    const token = readBearerToken(request.authorization);
    if (token !== undefined) return authenticateToken(this.#tokenAuthenticators, token);
    const anonymous = findAnonymousUser(request.path);
    return anonymous === undefined ? { authenticated: false } : { authenticated: true, user: anonymous };
  }
}
