import { X509Certificate, createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Every certificate of a PEM text in its order; empty when there is none. Throws when one cannot be read. */
export function readCertificates(text: string): X509Certificate[] {
  return [...text.matchAll(pemCertificate)].map(([pem]) => new X509Certificate(pem));
}

/** One PEM text of certificates, each once, in the order given. */
export function joinCertificates(certificates: readonly X509Certificate[]): string {
  const byFingerprint = new Map(certificates.map((certificate) => [certificate.fingerprint256, certificate]));
  return [...byFingerprint.values()].map((certificate) => `${certificate.toString().trim()}\n`).join('');
}

/** The same certificates, in whatever order and spelling. Texts that cannot be read equal nothing. */
export function holdsSameCertificates(left: string, right: string): boolean {
  try {
    const [first, second] = [left, right].map((text) => readCertificates(text).map((one) => one.fingerprint256));
    return isDeepStrictEqual(new Set(first), new Set(second));
  } catch {
    return false;
  }
}

/** Whether the PEM private key is the certificate's. */
export function matchesPrivateKey(certificate: X509Certificate, privateKey: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    return false;
  }
}

/** Whether `authority` is one and signed the certificate; says nothing about times. */
export function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

/**
 * The authority of `bundle` that a served certificate leads to, over the certificates that are served with it; the first of `chain` is
 * the server's. `undefined` when there is none, or one on the way is not valid at `nowMillis`.
 */
export function findTrustAnchor(
  chain: readonly X509Certificate[],
  bundle: readonly X509Certificate[],
  nowMillis: number,
): X509Certificate | undefined {
  const isValid = (one: X509Certificate): boolean =>
    one.validFromDate.getTime() <= nowMillis && nowMillis < one.validToDate.getTime();
  const rest = [...chain];
  let link = rest.shift();
  while (link !== undefined && isValid(link)) {
    const current = link;
    const anchor = bundle.find((authority) => isValid(authority) && isSignedBy(current, authority));
    if (anchor !== undefined) return anchor;
    // A certificate that is itself trusted needs no authority.
    const itself = bundle.find((authority) => authority.fingerprint256 === current.fingerprint256);
    if (itself !== undefined) return itself;
    const next = rest.findIndex((one) => isSignedBy(current, one));
    link = next < 0 ? undefined : rest.splice(next, 1)[0];
  }
  return undefined;
}

/** Spelling of a DNS name or IP address that is the same for every way to write it. */
export function canonicalizeName(name: string): string {
  return isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.toLowerCase();
}

/** The canonical DNS names and IP addresses that a certificate is for. */
export function readSubjectNames(certificate: X509Certificate): Set<string> {
  const names = new Set<string>();
  for (const entry of (certificate.subjectAltName ?? '').split(', ')) {
    const match = /^(?:DNS|IP Address):(.+)$/.exec(entry);
    if (match?.[1] !== undefined) names.add(canonicalizeName(match[1]));
  }
  return names;
}
