import { makeUnauthorizedError } from '../../core/errors/make-status-error.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type {
  AuthenticationRequest,
  AuthenticationResult,
  Authenticator,
  TokenAuthenticator,
} from '../apiserver/authn/authenticator.ts';
import { impersonate } from '../apiserver/authn/impersonate.ts';
import { RequestAuthenticator } from '../apiserver/authn/request-authenticator.ts';
import type { Authorizer } from '../apiserver/authz/authorizer.ts';
import type { ForwardIdentity } from './forward-headers.ts';
import { describeHostFailure } from './host-failure.ts';

/** Who calls, and in whose name the host is asked for it. */
export interface Caller {
  readonly identity: ForwardIdentity;
  /** Who it is, as far as that is known: with impersonation headers beside a token, the token's owner. May ask the host. */
  readUser(): Promise<UserInfo>;
}

export interface CallerAuthenticatorOptions {
  readonly tokens: TokenAuthenticator;
  /** Decides whom a client with a certificate may act as. */
  readonly authorizer: Authorizer;
  /** The certificate, if there is one, whose holder is the one who started this program, by SHA-256 in hex, and who that is at the host. */
  readonly ownClient?: { readonly sha256: string; readonly user: () => Promise<UserInfo> };
  /** Whether clients with other certificates of the listener's authorities are acted for by impersonation. */
  readonly impersonatesClients: boolean;
}

/**
 * Finds who makes a request to the API service on a host. Bearer tokens go on to the host, which judges them and what they ask for
 * itself. A client certificate cannot go on: the program acts for its holder, whose impersonation headers are judged here.
 */
export class CallerAuthenticator {
  readonly #options: CallerAuthenticatorOptions;
  readonly #tokenAuthenticator: RequestAuthenticator;

  constructor(options: CallerAuthenticatorOptions) {
    this.#options = options;
    this.#tokenAuthenticator = new RequestAuthenticator({ tokenAuthenticators: [options.tokens] });
  }

  /** Throws a StatusError: 401 without a valid identity, 403 for who may not act as they ask, 503 when the host does not answer. */
  async authenticate(request: AuthenticationRequest): Promise<Caller> {
    try {
      const ownClient = this.#findOwnClient(request);
      // The host need not be asked for this one, who must be able to ask how things are while it is down.
      if (ownClient !== undefined) return { identity: { as: 'self' }, readUser: ownClient.user };
      const { result, isImpersonated } = await this.#identify(request);
      if (!result.authenticated) throw makeUnauthorizedError();
      if (!isImpersonated) return { identity: { as: 'caller' }, readUser: async () => result.user };
      const user = await impersonate(result.user, request.headers, this.#options.authorizer);
      return { identity: { as: 'impersonated', user }, readUser: async () => user };
    } catch (error) {
      throw describeHostFailure(error);
    }
  }

  /** The same for what is served here and not by the host: who shows the credentials, before any impersonation. */
  asAuthenticator(): Authenticator {
    return {
      authenticate: async (request) => {
        try {
          const ownClient = this.#findOwnClient(request);
          if (ownClient !== undefined) return { authenticated: true, user: await ownClient.user() };
          return (await this.#identify(request)).result;
        } catch (error) {
          throw describeHostFailure(error);
        }
      },
    };
  }

  #findOwnClient({ clientCertificate }: AuthenticationRequest): CallerAuthenticatorOptions['ownClient'] {
    const { ownClient } = this.#options;
    return clientCertificate !== undefined && clientCertificate.sha256 === ownClient?.sha256 ? ownClient : undefined;
  }

  async #identify(request: AuthenticationRequest): Promise<{ result: AuthenticationResult; isImpersonated: boolean }> {
    const { clientCertificate, ...withoutCertificate } = request;
    const isImpersonated =
      this.#options.impersonatesClients && clientCertificate !== undefined && clientCertificate.commonName !== '';
    const result = await this.#tokenAuthenticator.authenticate(isImpersonated ? request : withoutCertificate);
    return { result, isImpersonated };
  }
}
