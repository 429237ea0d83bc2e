import type { Server } from 'node:tls';

import type { CertificateSource, ServingCertificate } from './certificate-source.ts';

/**
 * Serves the source's certificate to every new connection, now and after each change; connections that stand go on. Certificates of clients
 * are judged by `clientAuthority` (PEM) where the server asks for them. Returns a function that ends this.
 */
export function serveCertificate(server: Server, source: CertificateSource, clientAuthority?: string): () => void {
  const ca = clientAuthority === undefined ? {} : { ca: clientAuthority };
  const serve = ({ certificate, privateKey }: ServingCertificate): void =>
    server.setSecureContext({ cert: certificate, key: privateKey, ...ca });
  const current = source.current();
  if (current !== undefined) serve(current);
  return source.subscribe(serve);
}
