import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import type { AuthenticationRequest, ClientCertificate } from './authenticator.ts';

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

function readClientCertificate(socket: Socket, nowMillis: number): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  let known = certificates.get(socket);
  if (known === undefined) {
    known = readPeerCertificate(socket);
    certificates.set(socket, known);
  }
  // A connection may outlive its certificate.
  return known !== null && nowMillis <= known.notAfterMillis ? known.certificate : undefined;
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
