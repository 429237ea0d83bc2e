import type { UserInfo } from '../../../core/meta/user-info.ts';
import { addAuthenticatedGroup, anonymousUser } from '../../../platform/authentication/authenticated-group.ts';
import { readBearerToken } from '../../../platform/authentication/bearer-token.ts';
import { readCertificateUser } from '../../../platform/authentication/client-certificate.ts';
import type {
  AuthenticationRequest,
  AuthenticationResult,
  Authenticator,
  TokenAuthenticator,
} from './authenticator.ts';

const anonymousPath = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/** The user of requests without credentials to a path that is open to them; `undefined` for every other path. */
export function findAnonymousUser(path: string): UserInfo | undefined {
  return anonymousPath.test(path) ? anonymousUser : undefined;
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
