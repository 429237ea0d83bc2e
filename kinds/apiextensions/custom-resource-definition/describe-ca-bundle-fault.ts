import { X509Certificate } from 'node:crypto';

const block = /-----BEGIN ([^\n]*?)-----\r?\n([\s\S]*?)-----END \1-----/g;

function isCertificate(body: string): boolean {
  try {
    new X509Certificate(`-----BEGIN CERTIFICATE-----\n${body}-----END CERTIFICATE-----\n`);
    return true;
  } catch {
    return false;
  }
}

/** Why nobody can be trusted by a bundle of certificates in PEM, given in base64; `undefined` when somebody can, or when it is empty. */
export function describeCaBundleFault(caBundle: string): string | undefined {
  if (caBundle === '') return undefined;
  const blocks = [...Buffer.from(caBundle, 'base64').toString('latin1').matchAll(block)];
  // A block with headers is no certificate to Go.
  const bodies = blocks.filter(([, type, body = '']) => type === 'CERTIFICATE' && !body.includes(':'));
  const certificates = bodies.map(([, , body = '']) => body);
  if (certificates.some(isCertificate)) return undefined;
  if (certificates.length > 0) {
    return 'unable to load root certificates: failed to parse certificate: x509: malformed certificate';
  }
  return 'unable to load root certificates: unable to parse bytes as PEM block';
}
