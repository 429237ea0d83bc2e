import { createHash, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isJsonObject } from '../../../core/meta/json.ts';
import type { JsonObject } from '../../../core/meta/json.ts';

/** Signature algorithms of service-account tokens. */
export type JwtAlgorithm = 'ES256' | 'RS256';

/** A signed token taken apart; nothing of it is trusted until its signature is verified. */
export interface UnverifiedJwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly signedPart: string;
  readonly signature: Buffer;
}

const base64Url = /^[A-Za-z0-9_-]+$/;

function encodePart(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
}

function decodePart(part: string): JsonObject | undefined {
  if (!base64Url.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The algorithm that a key signs with; throws when the key is of no supported sort (P-256 or RSA). */
function findJwtAlgorithm(key: KeyObject): JwtAlgorithm {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  throw new Error('keys of service-account tokens must be RSA or ECDSA P-256');
}

/** Key id as Kubernetes derives it: the SHA-256 of the public key's DER. */
export function deriveKeyId(key: KeyObject): string {
  const publicKey = key.type === 'public' ? key : createPublicKey(key);
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}

/** Signs claims in the compact form. */
export function signJwt(claims: JsonObject, key: KeyObject): string {
  const algorithm = findJwtAlgorithm(key);
  const signedPart = `${encodePart({ alg: algorithm, kid: deriveKeyId(key) })}.${encodePart(claims)}`;
  const signature = sign('sha256', Buffer.from(signedPart), { key, dsaEncoding: 'ieee-p1363' });
  return `${signedPart}.${signature.toString('base64url')}`;
}

/** Takes a compact token apart; `undefined` when it is none. */
export function parseJwt(token: string): UnverifiedJwt | undefined {
  const parts = token.split('.');
  const [headerPart, claimsPart, signaturePart] = parts;
  if (parts.length !== 3 || headerPart === undefined || claimsPart === undefined || signaturePart === undefined) {
    return undefined;
  }
  const header = decodePart(headerPart);
  const claims = decodePart(claimsPart);
  if (header === undefined || claims === undefined || !base64Url.test(signaturePart)) return undefined;
  const signature = Buffer.from(signaturePart, 'base64url');
  // A second spelling of the same bytes would be a second token.
  if (signature.toString('base64url') !== signaturePart) return undefined;
  return { header, claims, signedPart: `${headerPart}.${claimsPart}`, signature };
}

/**
 * Tells whether `key` signed the token. The algorithm is the key's: a token that names another one (`none`, an HMAC over the public
 * key) is refused, and so is one with critical header parameters.
 */
export function verifyJwt(jwt: UnverifiedJwt, key: KeyObject): boolean {
  if (jwt.header['alg'] !== findJwtAlgorithm(key) || Object.hasOwn(jwt.header, 'crit')) return false;
  return verify('sha256', Buffer.from(jwt.signedPart), { key, dsaEncoding: 'ieee-p1363' }, jwt.signature);
}
