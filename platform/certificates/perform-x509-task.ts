import { createPrivateKey, createPublicKey, randomBytes, webcrypto, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension, JsonGeneralNames, PublicKey } from '@peculiar/x509';

import type {
  CertificateRequest,
  CertificateTask,
  KeyedCertificate,
  KeyedRequest,
  ServerSubject,
} from './make-certificate.ts';
import type { SigningRequestFacts } from './read-signing-request.ts';
import { provideReflectMetadata } from './reflect-metadata.ts';

provideReflectMetadata();
const x509 = await import('@peculiar/x509');

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;
const authorityUsages = 0x20 | 0x40;
const leafUsages = 0x01;
const serverAuthentication = '1.3.6.1.5.5.7.3.1';
const clientAuthentication = '1.3.6.1.5.5.7.3.2';
const subjectAlternativeName = '2.5.29.17';
const minModulusBits = 2_048;

async function importSigningKey(privateKeyPem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(privateKeyPem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', der, keyAlgorithm, true, ['sign']);
}

async function importVerifyingKey(privateKeyPem: string): Promise<webcrypto.CryptoKey> {
  const der = createPublicKey(privateKeyPem).export({ type: 'spki', format: 'der' });
  return webcrypto.subtle.importKey('spki', der, keyAlgorithm, true, ['verify']);
}

async function makeKeys(): Promise<{ keys: webcrypto.CryptoKeyPair; privateKey: string }> {
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { keys, privateKey: key.export({ type: 'pkcs8', format: 'pem' }) as string };
}

function toNames(names: readonly string[]): JsonGeneralNames {
  return names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const);
}

async function listExtensions(
  { purpose, subjectNames }: CertificateRequest,
  publicKey: PublicKey,
  signerKey: string,
): Promise<Extension[]> {
  const isAuthority = purpose === 'authority';
  const extensions: Extension[] = [
    new x509.BasicConstraintsExtension(isAuthority, undefined, true),
    new x509.KeyUsagesExtension(isAuthority ? authorityUsages : leafUsages, true),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(await importVerifyingKey(signerKey)),
  ];
  if (!isAuthority) {
    const usage = purpose === 'server' ? serverAuthentication : clientAuthentication;
    extensions.push(new x509.ExtendedKeyUsageExtension([usage], false));
  }
  if (subjectNames !== undefined) extensions.push(new x509.SubjectAlternativeNameExtension(toNames(subjectNames)));
  return extensions;
}

async function certify({ request, authority, publicKey: foreignKey }: CertificateTask): Promise<KeyedCertificate> {
  const made = foreignKey === undefined ? await makeKeys() : undefined;
  const publicKey =
    made === undefined ? new x509.PublicKey(foreignKey ?? '') : await x509.PublicKey.create(made.keys.publicKey);
  const signerKey = authority?.privateKey ?? made?.privateKey;
  if (signerKey === undefined) throw new Error("somebody else's key cannot sign for itself here");
  const subject = [
    ...(request.organizations ?? []).map((organization) => ({ O: [organization] })),
    { CN: [request.commonName] },
  ];
  const issuer = authority === undefined ? undefined : new x509.X509Certificate(authority.certificate);
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial.toString('hex'),
    subject,
    issuer: issuer?.subjectName.toJSON() ?? subject,
    notBefore: new Date(request.notBeforeMillis),
    notAfter: new Date(request.notAfterMillis),
    signingAlgorithm,
    publicKey,
    signingKey: await importSigningKey(signerKey),
    extensions: await listExtensions(request, publicKey, signerKey),
  });
  return { certificate: `${certificate.toString('pem').trim()}\n`, privateKey: made?.privateKey ?? '' };
}

async function ask({ commonName, subjectNames }: ServerSubject): Promise<KeyedRequest> {
  const { keys, privateKey } = await makeKeys();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm,
    extensions: [new x509.SubjectAlternativeNameExtension(toNames(subjectNames))],
  });
  return { request: `${request.toString('pem').trim()}\n`, privateKey };
}

function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= minModulusBits;
  const curve = asymmetricKeyDetails?.namedCurve ?? '';
  return asymmetricKeyType === 'ec' && /^(?:prime256v1|secp384r1|secp521r1)$/.test(curve);
}

function readKey(der: ArrayBuffer): string | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
    return isStrong(key) ? (key.export({ type: 'spki', format: 'pem' }) as string) : undefined;
  } catch {
    return undefined;
  }
}

async function read(pem: string): Promise<SigningRequestFacts | null> {
  try {
    const request = new x509.Pkcs10CertificateRequest(pem);
    if (!(await request.verify())) return null;
    const subjects = request.subjectName.toJSON().flatMap((part) => Object.entries(part));
    const commonNames = request.subjectName.getField('CN');
    const extension = request.getExtension(subjectAlternativeName);
    const names = extension === null ? [] : new x509.SubjectAlternativeNameExtension(extension.rawData).names.items;
    const ofType = (wanted: string) => names.filter(({ type }) => type === wanted).map(({ value }) => value);
    const others = names.filter(({ type }) => type !== 'dns' && type !== 'ip');
    return {
      commonName: commonNames.length === 1 ? (commonNames[0] ?? '') : '',
      otherSubjects: subjects.flatMap(([key, values]) =>
        key === 'CN' ? [] : values.map((value) => `${key}=${value}`),
      ),
      dnsNames: ofType('dns'),
      ipAddresses: ofType('ip'),
      otherNames: others.map(({ type, value }) => `${type}:${value}`),
      publicKey: readKey(request.publicKey.rawData),
    };
  } catch {
    // Whatever somebody else wrote: it is no request.
    return null;
  }
}

/** Each takes what its caller gives, as JSON. The private key is empty where a certificate is for somebody else's. */
const tasks = new Map<string, (given: never) => Promise<unknown>>([
  ['certificate', certify],
  ['request', ask],
  ['read', read],
]);

/** Does a task. Rejects for one that is not known, and for what cannot be done with what was given. */
export async function performX509Task(task: string, given: unknown): Promise<unknown> {
  const perform = tasks.get(task);
  if (perform === undefined) throw new Error(`there is no task ${task}`);
  return perform(given as never);
}
