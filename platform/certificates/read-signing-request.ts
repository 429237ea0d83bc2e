import { createPublicKey, type KeyObject } from 'node:crypto';
import { provideReflectMetadata } from './reflect-metadata.ts';

/** What a request for a certificate (PKCS #10) says. */
export interface SigningRequestFacts {
  readonly commonName: string;
  /** Names of the subject besides its one common name, such as `O=team`. */
  readonly otherSubjects: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** Names of other sorts: mail addresses, URIs. */
  readonly otherNames: readonly string[];
  /** The key that asks, as PEM text of its SPKI; `undefined` when it is of a sort, or of a size, that is not signed. */
  readonly publicKey: string | undefined;
}

/** What can be signed is far smaller. */
const maxBytes = 32_768;
const minModulusBits = 2_048;

function isStrong(key: KeyObject): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails } = key;
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= minModulusBits;
  return (
    asymmetricKeyType === 'ec' && /^(?:prime256v1|secp384r1|secp521r1)$/.test(asymmetricKeyDetails?.namedCurve ?? '')
  );
}

function readKey(der: ArrayBuffer): string | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
    return isStrong(key) ? (key.export({ type: 'spki', format: 'pem' }) as string) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a request for a certificate from its PEM text; `undefined` when it is none, too long, or not signed by its own key. */
export async function readSigningRequest(pem: string): Promise<SigningRequestFacts | undefined> {
  if (pem.length > maxBytes) return undefined;
  provideReflectMetadata();
  // Loaded here because it takes most of the start-up time, and few requests come.
  const x509 = await import('@peculiar/x509');
  try {
    const request = new x509.Pkcs10CertificateRequest(pem);
    if (!(await request.verify())) return undefined;
    const subjects = request.subjectName.toJSON().flatMap((part) => Object.entries(part));
    const commonNames = request.subjectName.getField('CN');
    const extension = request.getExtension('2.5.29.17');
    const names = extension === null ? [] : new x509.SubjectAlternativeNameExtension(extension.rawData).names.items;
    const ofType = (...types: string[]) => names.filter(({ type }) => types.includes(type)).map(({ value }) => value);
    return {
      commonName: commonNames.length === 1 ? (commonNames[0] ?? '') : '',
      otherSubjects: subjects.flatMap(([key, values]) =>
        key === 'CN' ? [] : values.map((value) => `${key}=${value}`),
      ),
      dnsNames: ofType('dns'),
      ipAddresses: ofType('ip'),
      otherNames: names
        .filter(({ type }) => type !== 'dns' && type !== 'ip')
        .map(({ type, value }) => `${type}:${value}`),
      publicKey: readKey(request.publicKey.rawData),
    };
  } catch {
    return undefined;
  }
}
