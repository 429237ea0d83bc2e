import { generateKeyPair, randomBytes, type KeyObject } from 'node:crypto';
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
import type { KeyedCertificate } from './make-certificate.ts';

/** Whom a server's certificate is for. */
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

const identifiers = {
  requestedExtensions: '1.2.840.113549.1.9.14',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
} as const;

const generate = promisify(generateKeyPair);
/** A bit string of one bit, which is set. */
const digitalSignature = encodeDer(derTags.bitString, Buffer.of(7, 0x80));
const serialBytes = 16;

function exportKey(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** Makes a new key (ECDSA, P-256) and a request for a server's certificate. Far lighter than `makeCertificate`, for programs that must be small. */
export async function writeServerRequest({ commonName, subjectNames }: ServerSubject): Promise<KeyedRequest> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' });
  const extensions = encodeSequence(encodeSubjectNames(subjectNames));
  const attribute = encodeSequence(
    encodeObjectIdentifier(identifiers.requestedExtensions),
    encodeDer(derTags.set, extensions),
  );
  const content = encodeSequence(
    encodeUnsigned(Buffer.of(0)),
    encodeName(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeTagged(0, true, attribute),
  );
  const request = formatPem('CERTIFICATE REQUEST', signWhole(content, privateKey));
  return { request, privateKey: exportKey(privateKey) };
}

/** Makes a new key (ECDSA, P-256) and a server's certificate that nobody vouches for but itself. */
export async function writeSelfSigned(
  subject: ServerSubject & { readonly notBeforeMillis: number; readonly notAfterMillis: number },
): Promise<KeyedCertificate> {
  const { commonName, subjectNames, notBeforeMillis, notAfterMillis } = subject;
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' });
  const name = encodeName(commonName);
  const serial = randomBytes(serialBytes);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const usage = encodeSequence(encodeObjectIdentifier(identifiers.serverAuthentication));
  const extensions = encodeSequence(
    encodeExtension(identifiers.basicConstraints, encodeSequence(), true),
    encodeExtension(identifiers.keyUsage, digitalSignature, true),
    encodeExtension(identifiers.extendedKeyUsage, usage),
    encodeSubjectNames(subjectNames),
  );
  const content = encodeSequence(
    encodeTagged(0, true, encodeUnsigned(Buffer.of(2))),
    encodeUnsigned(serial),
    signatureAlgorithm,
    name,
    encodeSequence(encodeTime(notBeforeMillis), encodeTime(notAfterMillis)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeTagged(3, true, extensions),
  );
  return { certificate: formatPem('CERTIFICATE', signWhole(content, privateKey)), privateKey: exportKey(privateKey) };
}
