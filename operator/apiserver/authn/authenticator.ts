import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { ClientCertificate } from '../../../platform/authentication/client-certificate.ts';

/** Header names in lower case with every value, as `IncomingMessage.headersDistinct` has them. */
export type DistinctHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** The credentials that came with one request. */
export interface AuthenticationRequest {
  /** Path of the request without its query: `/healthz`, `/livez` and `/readyz` are open to requests without credentials. */
  readonly path: string;
  /** Value of the `Authorization` header; `undefined` when there is none. */
  readonly authorization?: string | undefined;
  /** `undefined` when the client showed none, or one that does not chain to the client CA. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** All headers, for those who read an identity from them. */
  readonly headers: DistinctHeaders;
}

/** Who the credentials are; `authenticated: false` answers 401. */
export type AuthenticationResult =
  | { readonly authenticated: true; readonly user: UserInfo; readonly audiences?: readonly string[] }
  /** `fault` says what is wrong with the credentials, for logs and TokenReview; absent when there were none. */
  | { readonly authenticated: false; readonly fault?: string };

/** Finds who makes a request. Never throws for credentials, however malformed. */
export interface Authenticator {
  authenticate(request: AuthenticationRequest): Promise<AuthenticationResult>;
}

/** Finds who a bearer token belongs to; `undefined` when the token is not of this authenticator's sort. */
export interface TokenAuthenticator {
  /** `audiences`: the token must be meant for one of them; `undefined` means this API service's own. */
  authenticateToken(token: string, audiences?: readonly string[]): Promise<AuthenticationResult | undefined>;
}
