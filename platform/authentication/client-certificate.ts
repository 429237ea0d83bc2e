import type { Socket } from 'node:net';
import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import type { UserInfo } from '../../core/meta/user-info.ts';

/** What a client certificate that the TLS layer verified against the client CA says of its holder. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate's DER, in lower-case hex without separators. */
  readonly sha256: string;
  /** SHA-256 of the certificates that vouch for it, the nearest first, up to the authority that the listener trusts. */
  readonly issuers: readonly string[];
}

const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** Reading a certificate costs more than a request; a connection's does not change. */
const certificates = new WeakMap<Socket, TimedCertificate | null>();

const MAX_CHAIN_LENGTH = 10;

interface TimedCertificate {
  readonly certificate: ClientCertificate;
  readonly notAfterMillis: number;
}

function readFingerprint(certificate: DetailedPeerCertificate): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}

/** The chain that was verified ends with an authority, which names itself as its issuer. */
function listIssuers(peer: DetailedPeerCertificate): string[] {
  const issuers: string[] = [];
  let certificate: DetailedPeerCertificate | undefined = peer;
  while (issuers.length < MAX_CHAIN_LENGTH) {
    const issuer: DetailedPeerCertificate | undefined = certificate.issuerCertificate;
    if (issuer === undefined || issuer === certificate) return issuers;
    issuers.push(readFingerprint(issuer));
    certificate = issuer;
  }
  return issuers;
}

function readPeerCertificate(socket: TLSSocket): TimedCertificate | null {
  // `authorized` is false for a certificate that does not chain to the client CA, has expired or is not meant for clients.
  if (!socket.authorized) return null;
  const peer = socket.getPeerCertificate(true);
  // Absent when the client showed no certificate, whatever the types say.
  const subject = peer.subject as Record<string, string | string[] | undefined> | undefined;
  if (subject === undefined) return null;
  const names = [subject['CN'] ?? []].flat();
  return {
    certificate: {
      commonName: names.at(-1) ?? '',
      organizations: [subject['O'] ?? []].flat(),
      sha256: readFingerprint(peer),
      issuers: listIssuers(peer),
    },
    notAfterMillis: Date.parse(peer.valid_to),
  };
}

/**
 * The certificate that the client of a connection showed and the TLS layer verified; `undefined` when it showed none, one that is not
 * believed, or one that has ended since. The server must ask for client certificates without requiring them.
 */
export function readClientCertificate(socket: Socket, nowMillis: number): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  let known = certificates.get(socket);
  if (known === undefined) {
    known = readPeerCertificate(socket);
    certificates.set(socket, known);
  }
  // A connection may outlive its certificate.
  return known !== null && nowMillis <= known.notAfterMillis ? known.certificate : undefined;
}

/** The user that a verified certificate names; `undefined` when there is none, or it names nobody. */
export function readCertificateUser(certificate: ClientCertificate | undefined): UserInfo | undefined {
  if (certificate === undefined || certificate.commonName === '') return undefined;
  return {
    username: certificate.commonName,
    groups: certificate.organizations,
    extra: { [credentialIdKey]: [`X509SHA256=${certificate.sha256}`] },
  };
}
