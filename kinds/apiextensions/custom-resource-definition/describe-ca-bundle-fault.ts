import { decodePem } from './decode-pem.ts';

const sequenceTag = 0x30;
const bitStringTag = 0x03;

/** Where the value at `at` of DER begins and ends; `undefined` when it is none, or does not fit. */
function readValue(der: Uint8Array, at: number): { start: number; end: number } | undefined {
  const first = der[at + 1];
  if (first === undefined) return undefined;
  if (first < 0x80) return bound(der, at + 2, first);
  const count = first & 0x7f;
  if (count === 0 || count > 4) return undefined;
  const bytes = der.subarray(at + 2, at + 2 + count);
  return bound(
    der,
    at + 2 + count,
    bytes.reduce((length, byte) => length * 256 + byte, 0),
  );
}

function bound(der: Uint8Array, start: number, length: number): { start: number; end: number } | undefined {
  return start + length <= der.length ? { start, end: start + length } : undefined;
}

/** Whether bytes have the outer form of a certificate: what is signed, by which algorithm, and the signature. */
function isCertificate(der: Uint8Array): boolean {
  const whole = der[0] === sequenceTag ? readValue(der, 0) : undefined;
  if (whole?.end !== der.length) return false;
  let at = whole.start;
  for (const tag of [sequenceTag, sequenceTag, bitStringTag]) {
    const part = der[at] === tag ? readValue(der, at) : undefined;
    if (part === undefined) return false;
    at = part.end;
  }
  return at === whole.end;
}

/**
 * Why nobody can be trusted by a bundle of certificates in PEM, given in base64; `undefined` when somebody can, or when it is empty. What a
 * certificate says is not looked at.
 */
export function describeCaBundleFault(caBundle: string): string | undefined {
  if (caBundle === '') return undefined;
  const text = Buffer.from(caBundle, 'base64').toString('latin1');
  let hasMalformed = false;
  let at = 0;
  while (at < text.length) {
    const block = decodePem(text, at);
    if (block === undefined) break;
    at = block.end;
    if (block.type !== 'CERTIFICATE' || block.hasHeaders) continue;
    if (isCertificate(block.bytes)) return undefined;
    hasMalformed = true;
  }
  const problem = 'unable to load root certificates';
  if (hasMalformed) return `${problem}: failed to parse certificate: x509: malformed certificate`;
  const reason = at < text.length ? 'unable to parse bytes as PEM block' : 'no valid certificate authority data seen';
  return `${problem}: ${reason}`;
}
