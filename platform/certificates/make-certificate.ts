import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { promisify } from 'node:util';

import { encodeExtension, encodeName, encodeSubjectNames, signatureAlgorithm, signWhole } from './certificate-parts.ts';
import {
  derTags,
  encodeDer,
  encodeObjectIdentifier,
  encodeSequence,
  encodeTagged,
  encodeTime,
  encodeUnsigned,
  formatPem,
} from './encode-der.ts';
import { readDer } from './read-der.ts';

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

const identifiers = {
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;
const extendedUsages = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;
/** Bit strings, the first byte of which says how many bits at their end do not count. */
const authorityUsages = encodeDer(derTags.bitString, Buffer.of(1, 0x06));
const leafUsages = encodeDer(derTags.bitString, Buffer.of(7, 0x80));
const serialBytes = 16;
const subjectPlace = 5;

const generate = promisify(generateKeyPair);

/** Makes a private key (ECDSA, P-256) as a PKCS #8 PEM text. */
export async function makePrivateKey(): Promise<string> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** PEM text of a key, private or public, to the DER of its public part (SPKI). */
function exportPublicKey(key: string): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/** A key is told by the hash of its bits, the way RFC 5280 names first. */
function identifyKey(publicKey: Buffer): Buffer {
  const [, bits] = readDer(readDer(publicKey)[0]?.content ?? publicKey);
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? publicKey)
    .digest();
}

/** The subject of a certificate as it is written there: issuers are compared byte by byte. */
function readSubject(certificate: string): Buffer {
  const [whole] = readDer(new X509Certificate(certificate).raw);
  const [content] = readDer(whole?.content ?? Buffer.of());
  const subject = readDer(content?.content ?? Buffer.of())[subjectPlace];
  if (subject === undefined) throw new Error('a certificate has no subject');
  return subject.whole;
}

function listExtensions({ purpose, subjectNames }: CertificateRequest, publicKey: Buffer, signer: Buffer): Buffer[] {
  const isAuthority = purpose === 'authority';
  const constraints = isAuthority ? [encodeDer(derTags.boolean, Buffer.of(0xff))] : [];
  const keyIdentifier = encodeDer(derTags.octetString, identifyKey(publicKey));
  const extensions = [
    encodeExtension(identifiers.basicConstraints, encodeSequence(...constraints), true),
    encodeExtension(identifiers.keyUsage, isAuthority ? authorityUsages : leafUsages, true),
    encodeExtension(identifiers.subjectKey, keyIdentifier),
    encodeExtension(identifiers.authorityKey, encodeSequence(encodeTagged(0, false, identifyKey(signer)))),
  ];
  if (purpose !== 'authority') {
    const usage = encodeSequence(encodeObjectIdentifier(extendedUsages[purpose]));
    extensions.push(encodeExtension(identifiers.extendedKeyUsage, usage));
  }
  if (subjectNames !== undefined) extensions.push(encodeSubjectNames(subjectNames));
  return extensions;
}

/** Signs a certificate for a public key, the DER of its SPKI. */
function issueCertificate(
  request: CertificateRequest,
  publicKey: Buffer,
  signer: { readonly certificate?: string; readonly privateKey: string },
): string {
  const subject = encodeName(request.commonName, request.organizations);
  const serial = randomBytes(serialBytes);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const content = encodeSequence(
    encodeTagged(0, true, encodeUnsigned(Buffer.of(2))),
    encodeUnsigned(serial),
    signatureAlgorithm,
    signer.certificate === undefined ? subject : readSubject(signer.certificate),
    encodeSequence(encodeTime(request.notBeforeMillis), encodeTime(request.notAfterMillis)),
    subject,
    publicKey,
    encodeTagged(3, true, encodeSequence(...listExtensions(request, publicKey, exportPublicKey(signer.privateKey)))),
  );
  return formatPem('CERTIFICATE', signWhole(content, createPrivateKey(signer.privateKey)));
}

/** Makes a certificate with a key of its own, signed by `authority`, or by itself when there is none. */
export async function makeCertificate(
  request: CertificateRequest,
  authority?: KeyedCertificate,
): Promise<KeyedCertificate> {
  const privateKey = await makePrivateKey();
  const certificate = issueCertificate(request, exportPublicKey(privateKey), authority ?? { privateKey });
  return { certificate, privateKey };
}

/** Makes a certificate for a public key (PEM text of its SPKI) that somebody else has the private key of, signed by `authority`; PEM text. */
export function certifyKey(request: CertificateRequest, publicKey: string, authority: KeyedCertificate): string {
  return issueCertificate(request, exportPublicKey(publicKey), authority);
}
