import { createPrivateKey, createPublicKey, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension, PublicKey } from '@peculiar/x509';
import { provideReflectMetadata } from './reflect-metadata.ts';

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

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;
const authorityUsages = 0x20 | 0x40;
const leafUsages = 0x01;
const serverAuthentication = '1.3.6.1.5.5.7.3.1';
const clientAuthentication = '1.3.6.1.5.5.7.3.2';

async function importSigningKey(privateKeyPem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(privateKeyPem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', der, keyAlgorithm, true, ['sign']);
}

async function importVerifyingKey(privateKeyPem: string): Promise<webcrypto.CryptoKey> {
  const der = createPublicKey(privateKeyPem).export({ type: 'spki', format: 'der' });
  return webcrypto.subtle.importKey('spki', der, keyAlgorithm, true, ['verify']);
}

/** Makes a private key (ECDSA, P-256) as a PKCS #8 PEM text. */
export async function makePrivateKey(): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
}

async function loadX509() {
  provideReflectMetadata();
  // Loaded here because it takes most of the start-up time, and a certificate is made once a year.
  return import('@peculiar/x509');
}

/** Signs a certificate for a public key. */
async function issueCertificate(
  request: CertificateRequest,
  publicKey: PublicKey,
  signer: { readonly certificate?: string; readonly privateKey: string },
): Promise<string> {
  const x509 = await loadX509();
  const isAuthority = request.purpose === 'authority';
  const subject = [
    ...(request.organizations ?? []).map((organization) => ({ O: [organization] })),
    { CN: [request.commonName] },
  ];
  const issuer = signer.certificate === undefined ? undefined : new x509.X509Certificate(signer.certificate);
  const extensions: Extension[] = [
    new x509.BasicConstraintsExtension(isAuthority, undefined, true),
    new x509.KeyUsagesExtension(isAuthority ? authorityUsages : leafUsages, true),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(await importVerifyingKey(signer.privateKey)),
  ];
  if (!isAuthority) {
    const usage = request.purpose === 'server' ? serverAuthentication : clientAuthentication;
    extensions.push(new x509.ExtendedKeyUsageExtension([usage], false));
  }
  if (request.subjectNames !== undefined) {
    const names = request.subjectNames.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const);
    extensions.push(new x509.SubjectAlternativeNameExtension(names));
  }
  const serial = randomBytes(16);
  serial[0] = (serial[0] ?? 0) & 0x7f;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial.toString('hex'),
    subject,
    issuer: issuer?.subjectName.toJSON() ?? subject,
    notBefore: new Date(request.notBeforeMillis),
    notAfter: new Date(request.notAfterMillis),
    signingAlgorithm,
    publicKey,
    signingKey: await importSigningKey(signer.privateKey),
    extensions,
  });
  return `${certificate.toString('pem').trim()}\n`;
}

/** Makes a certificate with a key of its own, signed by `authority`, or by itself when there is none. */
export async function makeCertificate(
  request: CertificateRequest,
  authority?: KeyedCertificate,
): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const privateKey = await makePrivateKey();
  const publicKey = await x509.PublicKey.create(await importVerifyingKey(privateKey));
  return { certificate: await issueCertificate(request, publicKey, authority ?? { privateKey }), privateKey };
}

/** Makes a certificate for a public key (PEM text of its SPKI) that somebody else has the private key of, signed by `authority`; PEM text. */
export async function certifyKey(
  request: CertificateRequest,
  publicKey: string,
  authority: KeyedCertificate,
): Promise<string> {
  const x509 = await loadX509();
  return issueCertificate(request, new x509.PublicKey(publicKey), authority);
}
