import { sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';

import { parseIp } from '../../core/validation/ip.ts';
import {
  derTags,
  encodeBitString,
  encodeDer,
  encodeObjectIdentifier,
  encodeSequence,
  encodeTagged,
} from './encode-der.ts';

const commonNameIdentifier = '2.5.4.3';
const organizationIdentifier = '2.5.4.10';
const subjectNamesIdentifier = '2.5.29.17';

/** ECDSA with SHA-256, as certificates and requests for them name it. */
export const signatureAlgorithm = encodeSequence(encodeObjectIdentifier('1.2.840.10045.4.3.2'));

function encodeNamePart(identifier: string, text: string): Buffer {
  const value = encodeDer(derTags.utf8String, Buffer.from(text, 'utf8'));
  return encodeDer(derTags.set, encodeSequence(encodeObjectIdentifier(identifier), value));
}

/** The name of a subject or an issuer: its organizations, then its common name. */
export function encodeName(commonName: string, organizations: readonly string[] = []): Buffer {
  return encodeSequence(
    ...organizations.map((organization) => encodeNamePart(organizationIdentifier, organization)),
    encodeNamePart(commonNameIdentifier, commonName),
  );
}

/** One extension, from its identifier and the element that is its value. */
export function encodeExtension(identifier: string, value: Buffer, isCritical = false): Buffer {
  return encodeSequence(
    encodeObjectIdentifier(identifier),
    ...(isCritical ? [encodeDer(derTags.boolean, Buffer.of(0xff))] : []),
    encodeDer(derTags.octetString, value),
  );
}

/** The extension that names a server by DNS names and IP addresses. */
export function encodeSubjectNames(names: readonly string[]): Buffer {
  const encoded = names.map((name) =>
    isIP(name) === 0
      ? encodeTagged(2, false, Buffer.from(name, 'latin1'))
      : encodeTagged(7, false, Buffer.from(parseIp(name)?.bytes ?? [])),
  );
  return encodeExtension(subjectNamesIdentifier, encodeSequence(...encoded));
}

/** What is to be signed, how, and the signature, as one element. */
export function signWhole(content: Buffer, privateKey: KeyObject): Buffer {
  return encodeSequence(content, signatureAlgorithm, encodeBitString(sign('sha256', content, privateKey)));
}
