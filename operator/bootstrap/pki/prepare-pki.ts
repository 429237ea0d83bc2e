import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalizeName, readSubjectNames } from '../../../platform/certificates/read-certificate.ts';
import { writeFileAtomically } from '../../../platform/process/write-file-atomically.ts';
import { makeCertificate, makePrivateKey } from '../../../platform/certificates/make-certificate.ts';
import type { CertificateRequest, KeyedCertificate } from '../../../platform/certificates/make-certificate.ts';

/** The keys and certificates of one installation, as PEM texts. */
export interface Pki {
  /** The authority of the serving certificate and of client certificates. */
  readonly authority: string;
  readonly serving: KeyedCertificate;
  /** Client certificate of the administrator, in the group `system:masters`. */
  readonly administrator: KeyedCertificate;
}

/** Where the files are and what they must say. */
export interface PkiOptions {
  /** Directory of the files; made when absent, readable by its owner only. */
  readonly directory: string;
  /** DNS names and IP addresses that clients reach the service by. */
  readonly subjectNames: readonly string[];
  readonly nowMillis: number;
}

const dayMillis = 86_400_000;
const authorityLifeMillis = 3_650 * dayMillis;
const leafLifeMillis = 365 * dayMillis;
/** A leaf is renewed when less than this is left, an authority when it could not outlive a new leaf. */
const renewalMillis = 60 * dayMillis;
/** Clients whose clock is a little behind must not refuse a new certificate. */
const backdateMillis = 3_600_000;

const administratorName = 'bailiwick:administrator';
const administratorGroup = 'system:masters';

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readPair(directory: string, name: string): Promise<KeyedCertificate | undefined> {
  const certificate = await readIfPresent(join(directory, `${name}.crt`));
  const privateKey = await readIfPresent(join(directory, `${name}.key`));
  return certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey };
}

/** Writes the key before the certificate: a crash in between leaves a pair that does not match, which is made anew. */
async function writePair(directory: string, name: string, pair: KeyedCertificate): Promise<void> {
  await writeFileAtomically(join(directory, `${name}.key`), pair.privateKey, 0o600);
  await writeFileAtomically(join(directory, `${name}.crt`), pair.certificate, 0o600);
}

/** Whether a stored pair can still be used: it matches its key, chains to the authority, lives long enough, has the names. */
function isUsable(
  pair: KeyedCertificate | undefined,
  options: PkiOptions & { readonly minLifeMillis: number },
  authority?: string,
): pair is KeyedCertificate {
  if (pair === undefined) return false;
  try {
    const certificate = new X509Certificate(pair.certificate);
    const issuer = new X509Certificate(authority ?? pair.certificate);
    const names = readSubjectNames(certificate);
    return (
      certificate.checkPrivateKey(createPrivateKey(pair.privateKey)) &&
      certificate.checkIssued(issuer) &&
      certificate.verify(issuer.publicKey) &&
      certificate.validFromDate.getTime() <= options.nowMillis &&
      certificate.validToDate.getTime() - options.nowMillis > options.minLifeMillis &&
      options.subjectNames.every((name) => names.has(canonicalizeName(name)))
    );
  } catch {
    // A file that cannot be parsed was damaged or is not ours; a new pair replaces it.
    return false;
  }
}

async function prepareLeaf(
  name: string,
  request: Omit<CertificateRequest, 'notBeforeMillis' | 'notAfterMillis'>,
  authority: KeyedCertificate,
  options: PkiOptions,
): Promise<KeyedCertificate> {
  const stored = await readPair(options.directory, name);
  const wanted = { ...options, subjectNames: request.subjectNames ?? [], minLifeMillis: renewalMillis };
  if (isUsable(stored, wanted, authority.certificate)) return stored;
  const made = await makeCertificate(
    {
      ...request,
      notBeforeMillis: options.nowMillis - backdateMillis,
      notAfterMillis: options.nowMillis + leafLifeMillis,
    },
    authority,
  );
  await writePair(options.directory, name, made);
  return made;
}

async function prepareAuthority(options: PkiOptions): Promise<KeyedCertificate> {
  const stored = await readPair(options.directory, 'ca');
  if (isUsable(stored, { ...options, subjectNames: [], minLifeMillis: leafLifeMillis })) return stored;
  const made = await makeCertificate({
    commonName: 'bailiwick-ca',
    purpose: 'authority',
    notBeforeMillis: options.nowMillis - backdateMillis,
    notAfterMillis: options.nowMillis + authorityLifeMillis,
  });
  await writePair(options.directory, 'ca', made);
  return made;
}

/** Reads the private key (PEM) that signs service-account tokens from the directory of the keys; makes it when there is none. */
export async function prepareServiceAccountKey(directory: string): Promise<string> {
  const file = join(directory, 'service-account.key');
  const stored = await readIfPresent(file);
  if (stored !== undefined) {
    // A key that cannot be read must not be replaced silently: every token that it signed would become invalid.
    createPrivateKey(stored);
    return stored;
  }
  const made = await makePrivateKey();
  await writeFileAtomically(file, made, 0o600);
  return made;
}

/** Reads the installation's keys and certificates, and makes or renews those that are absent, damaged, near their end or lack a name. */
export async function preparePki(options: PkiOptions): Promise<Pki> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const authority = await prepareAuthority(options);
  const serving = await prepareLeaf(
    'serving',
    { commonName: 'bailiwick', purpose: 'server', subjectNames: options.subjectNames },
    authority,
    options,
  );
  const administrator = await prepareLeaf(
    'administrator',
    { commonName: administratorName, organizations: [administratorGroup], purpose: 'client' },
    authority,
    options,
  );
  return { authority: authority.certificate, serving, administrator };
}
