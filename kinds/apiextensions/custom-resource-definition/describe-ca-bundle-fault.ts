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
  const text = Buffer.from(caBundle, 'base64').toString('latin1');
  const blocks = [...text.matchAll(block)];
  // A block with headers is no certificate to Go.
  const bodies = blocks.filter(([, type, body = '']) => type === 'CERTIFICATE' && !body.includes(':'));
  const certificates = bodies.map(([, , body = '']) => body);
  if (certificates.some(isCertificate)) return undefined;
  if (certificates.length > 0) {
    return 'unable to load root certificates: failed to parse certificate: x509: malformed certificate';
  }
  const last = blocks.at(-1);
  const rest = last === undefined ? text : text.slice(last.index + last[0].length).replace(/^\r?\n/, '');
  const reason = rest === '' ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block';
  return `unable to load root certificates: ${reason}`;
}
