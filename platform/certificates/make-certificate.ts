import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

import { runX509 } from './run-x509.ts';

/** A certificate and its private key, as PEM texts (PKCS #8). */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/** What a new certificate says. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** What it is for: `authority` signs others. */
  readonly purpose: 'authority' | 'server' | 'client';
  /** DNS names and IP addresses of a server. */
  readonly subjectNames?: readonly string[];
  readonly notBeforeMillis: number;
  readonly notAfterMillis: number;
}

/** A certificate to be signed: for `publicKey` (PEM text of its SPKI) or a new key, by `authority` or by itself. */
export interface CertificateTask {
  readonly request: CertificateRequest;
  readonly authority?: KeyedCertificate | undefined;
  readonly publicKey?: string;
}

/** Whom a server's certificate is asked for. */
export interface ServerSubject {
  readonly commonName: string;
  /** DNS names and IP addresses. */
  readonly subjectNames: readonly string[];
}

/** A request for a certificate (PKCS #10), and the private key that it is for, as PEM texts. */
export interface KeyedRequest {
  readonly request: string;
  readonly privateKey: string;
}

const generate = promisify(generateKeyPair);

/** Makes a private key (ECDSA, P-256) as a PKCS #8 PEM text. */
export async function makePrivateKey(): Promise<string> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function certify(task: CertificateTask): Promise<KeyedCertificate> {
  return runX509('certificate', task) as Promise<KeyedCertificate>;
}

/** Makes a certificate with a key of its own, signed by `authority`, or by itself when there is none. */
export function makeCertificate(request: CertificateRequest, authority?: KeyedCertificate): Promise<KeyedCertificate> {
  return certify({ request, authority });
}

/** Makes a certificate for a public key (PEM text of its SPKI) that somebody else has the private key of, signed by `authority`; PEM text. */
export async function certifyKey(
  request: CertificateRequest,
  publicKey: string,
  authority: KeyedCertificate,
): Promise<string> {
  return (await certify({ request, authority, publicKey })).certificate;
}

/** Makes a new key and a request for a server's certificate. */
export function makeServerRequest(subject: ServerSubject): Promise<KeyedRequest> {
  return runX509('request', subject) as Promise<KeyedRequest>;
}
