import type { Server } from 'node:tls';
import type { CertificateSource } from '../../platform/certificates/certificate-source.ts';
import { toAuthorityOption, type TlsMaterial } from '../apiserver/http/https-listener.ts';

/** Authorities of client certificates that may change, as PEM text; `undefined`: none are asked for; empty: none is believed. */
export interface ClientAuthoritySource {
  current(): string | undefined;
  /** Calls `listener` at every change. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
}

/** A source of authorities that stay as they are. */
export function makeConstantAuthorities(authorities: readonly string[]): ClientAuthoritySource {
  const text = authorities.length === 0 ? undefined : authorities.join('\n');
  return { current: () => text, subscribe: () => () => undefined };
}

/** A certificate that stays as it is. */
export function makeConstantCertificate(
  pair: { readonly certificate: string; readonly privateKey: string },
  bundle: string,
): CertificateSource {
  const certificate = { ...pair, bundle, serialNumber: '', notAfterMillis: 0 };
  return { current: () => certificate, subscribe: () => () => undefined };
}

/** What a listener begins with. Throws when there is no certificate yet. */
export function readTls(certificates: CertificateSource, authorities: ClientAuthoritySource): TlsMaterial {
  const serving = certificates.current();
  if (serving === undefined) throw new Error('there is no certificate to serve yet');
  const clientAuthority = authorities.current();
  return {
    certificate: serving.certificate,
    privateKey: serving.privateKey,
    ...(clientAuthority === undefined ? {} : { clientAuthority }),
  };
}

/** Lets every new connection have the certificate, and be judged by the authorities, of its time. Returns a function that ends this. */
export function followTls(
  server: Server,
  certificates: CertificateSource,
  authorities: ClientAuthoritySource,
): () => void {
  const renew = (): void => {
    const { certificate, privateKey, clientAuthority } = readTls(certificates, authorities);
    server.setSecureContext({
      cert: certificate,
      key: privateKey,
      ...(clientAuthority === undefined ? {} : { ca: toAuthorityOption(clientAuthority) }),
    });
  };
  const ends = [certificates.subscribe(renew), authorities.subscribe(renew)];
  return () => {
    for (const end of ends) end();
  };
}
