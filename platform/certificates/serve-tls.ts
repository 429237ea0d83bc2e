import type { SecureContextOptions, Server } from 'node:tls';
import type { CertificateSource } from './certificate-source.ts';

/** Certificate of a server and the authority of client certificates, as PEM texts. */
export interface TlsMaterial {
  readonly certificate: string;
  readonly privateKey: string;
  /** Client certificates that chain to it identify users; absent: none are asked for; empty: none is believed. */
  readonly clientAuthority?: string;
}

/** What a server negotiates, whatever its certificate. */
export type TlsNegotiation = Pick<SecureContextOptions, 'minVersion' | 'ciphers'>;

/** Authorities of client certificates that may change, as PEM text; `undefined`: none are asked for; empty: none is believed. */
export interface ClientAuthoritySource {
  current(): string | undefined;
  /** Calls `listener` at every change. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
}

/** Authorities as TLS options take them: an empty text would mean those of the system. */
export function toAuthorityOption(clientAuthority: string): string | string[] {
  return clientAuthority === '' ? [] : clientAuthority;
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
  negotiation: TlsNegotiation = {},
): () => void {
  const renew = (): void => {
    const { certificate, privateKey, clientAuthority } = readTls(certificates, authorities);
    server.setSecureContext({
      ...negotiation,
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
