import { X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type KeyedCertificate, makeCertificate } from '../../platform/certificates/make-certificate.ts';
import type { ServingCertificate } from '../../platform/certificates/certificate-source.ts';
import {
  canonicalizeName,
  matchesPrivateKey,
  readCertificates,
  readSubjectNames,
} from '../../platform/certificates/read-certificate.ts';
import { writeFileAtomically } from '../../platform/process/write-file-atomically.ts';

const dayMillis = 86_400_000;
const selfSignedLifeMillis = 365 * dayMillis;
/** One that ends sooner is made anew at the next start. */
const selfSignedRenewalMillis = 30 * dayMillis;
/** Callers whose clock is a little behind must not refuse a new certificate. */
const backdateMillis = 3_600_000;
const issuedFile = 'agent-server-current.pem';
const privateKeyPattern = /-----BEGIN (?:EC |RSA )?PRIVATE KEY-----[^-]+-----END (?:EC |RSA )?PRIVATE KEY-----\n?/;

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A pair as it is served; `undefined` when it cannot be read, or the key is another's. `bundle` is empty: who vouches for it is not known. */
export function readServingPair(certificate: string, privateKey: string): ServingCertificate | undefined {
  try {
    const [leaf] = readCertificates(certificate);
    if (leaf === undefined || !matchesPrivateKey(leaf, privateKey)) return undefined;
    const { serialNumber } = leaf;
    return { certificate, privateKey, bundle: '', serialNumber, notAfterMillis: leaf.validToDate.getTime() };
  } catch {
    return undefined;
  }
}

/** Makes the directory of the agent's certificates, which only its owner may look into. */
export async function prepareCertificateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
}

/** The certificate (`agent.crt`, `agent.key`) that the agent signed itself, kept in the directory: made when there is none that can be used. */
export async function prepareSelfSigned(options: {
  readonly directory: string;
  readonly commonName: string;
  readonly subjectNames: readonly string[];
  readonly nowMillis: number;
}): Promise<ServingCertificate> {
  const { directory, commonName, subjectNames, nowMillis } = options;
  const [certificateFile, keyFile] = [join(directory, 'agent.crt'), join(directory, 'agent.key')];
  const [certificate, privateKey] = [await readIfPresent(certificateFile), await readIfPresent(keyFile)];
  const stored = readServingPair(certificate ?? '', privateKey ?? '');
  const [nodeName = ''] = subjectNames;
  if (
    stored !== undefined &&
    stored.notAfterMillis - nowMillis > selfSignedRenewalMillis &&
    readSubjectNames(new X509Certificate(stored.certificate)).has(canonicalizeName(nodeName))
  ) {
    return stored;
  }
  const validity = { notBeforeMillis: nowMillis - backdateMillis, notAfterMillis: nowMillis + selfSignedLifeMillis };
  const made = await makeCertificate({ commonName, purpose: 'server', subjectNames, ...validity });
  // The key first: a crash in between leaves a pair that does not match, which is made anew.
  await writeFileAtomically(keyFile, made.privateKey, 0o600);
  await writeFileAtomically(certificateFile, made.certificate, 0o644);
  const serving = readServingPair(made.certificate, made.privateKey);
  if (serving === undefined) throw new Error('a new certificate does not match its key');
  return serving;
}

/** The certificate that was issued last; `undefined` when none was, or what is kept cannot be used any more. */
export async function readIssued(directory: string, nowMillis: number): Promise<ServingCertificate | undefined> {
  const text = (await readIfPresent(join(directory, issuedFile))) ?? '';
  const privateKey = privateKeyPattern.exec(text)?.[0] ?? '';
  const serving = readServingPair(text.replace(privateKeyPattern, ''), privateKey);
  return serving === undefined || serving.notAfterMillis <= nowMillis ? undefined : serving;
}

/** Keeps a certificate that was issued, and its key, in one file: there is never one without the other. */
export async function writeIssued(directory: string, { certificate, privateKey }: KeyedCertificate): Promise<void> {
  await writeFileAtomically(join(directory, issuedFile), `${certificate.trim()}\n${privateKey.trim()}\n`, 0o600);
}
