import type { IncomingMessage } from 'node:http';
import { readClientCertificate } from '../../../platform/authentication/client-certificate.ts';
import type { AuthenticationRequest } from './authenticator.ts';

/**
 * The credentials of a request that came over TLS. The server must ask for client certificates without requiring them
 * (`requestCert: true, rejectUnauthorized: false`), with the client CA as its only `ca`. `path` is the decoded one where that is known.
 */
export function readAuthenticationRequest(
  request: IncomingMessage,
  nowMillis: number,
  path = (request.url ?? '/').split('?', 1)[0] ?? '/',
): AuthenticationRequest {
  const { authorization } = request.headers;
  const clientCertificate = readClientCertificate(request.socket, nowMillis);
  return {
    path,
    // They are gathered when they are read, which few authenticators do.
    get headers() {
      return request.headersDistinct;
    },
    ...(authorization === undefined ? {} : { authorization }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
  };
}
