import type { IncomingMessage } from 'node:http';
import { readClientCertificate, type ClientCertificate } from '../../../platform/authentication/client-certificate.ts';
import type { AuthenticationRequest, DistinctHeaders } from './authenticator.ts';

// A class, since V8 makes a hidden class of its own for each object literal with a getter: those outlive requests, with all they refer to.
class RequestCredentials implements AuthenticationRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly clientCertificate: ClientCertificate | undefined;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, nowMillis: number, path: string) {
    this.path = path;
    this.authorization = request.headers.authorization;
    this.clientCertificate = readClientCertificate(request.socket, nowMillis);
    this.#request = request;
  }

  /** They are gathered when they are read, which few authenticators do. */
  get headers(): DistinctHeaders {
    return this.#request.headersDistinct;
  }
}

/**
 * The credentials of a request that came over TLS. The server must ask for client certificates without requiring them
 * (`requestCert: true, rejectUnauthorized: false`), with the client CA as its only `ca`. `path` is the decoded one where that is known.
 */
export function readAuthenticationRequest(
  request: IncomingMessage,
  nowMillis: number,
  path = (request.url ?? '/').split('?', 1)[0] ?? '/',
): AuthenticationRequest {
  return new RequestCredentials(request, nowMillis, path);
}
