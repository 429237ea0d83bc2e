import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import type { ServingCertificate } from './certificate-source.ts';
import { findTrustAnchor, matchesPrivateKey, readCertificates } from './read-certificate.ts';

/** A Secret as far as certificates need it; values are base64. */
export interface SecretObject extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

export const secretsResource: ResourceName = { group: '', version: 'v1', resource: 'secrets' };

/** The decoded value of a key; the empty text when it is absent. */
export function readSecretText(secret: SecretObject, key: string): string {
  return Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
}

/** `data` of a Secret from texts. */
export function encodeSecretData(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text, 'utf8').toString('base64')]),
  );
}

/** `data` of a Secret with a certificate to serve. */
export function encodeServingData(
  serving: Pick<ServingCertificate, 'certificate' | 'privateKey' | 'bundle'>,
): Record<string, string> {
  return encodeSecretData({ 'tls.crt': serving.certificate, 'tls.key': serving.privateKey, 'ca.crt': serving.bundle });
}

/**
 * The certificate of a Secret (`tls.crt`, `tls.key`, `ca.crt`), or why it cannot be served: something cannot be read, the key is another's,
 * it leads to no authority of `ca.crt`, or it is not valid at `nowMillis`.
 */
export function readServingSecret(
  secret: SecretObject,
  nowMillis: number,
): { readonly serving: ServingCertificate } | { readonly fault: string } {
  const certificate = readSecretText(secret, 'tls.crt');
  const privateKey = readSecretText(secret, 'tls.key');
  const bundle = readSecretText(secret, 'ca.crt');
  try {
    const chain = readCertificates(certificate);
    const [leaf] = chain;
    if (leaf === undefined) return { fault: 'tls.crt holds no certificate' };
    if (!matchesPrivateKey(leaf, privateKey)) return { fault: 'tls.key is not the key of tls.crt' };
    const authorities = readCertificates(bundle);
    if (authorities.length === 0) return { fault: 'ca.crt holds no certificate' };
    if (findTrustAnchor(chain, authorities, nowMillis) === undefined) {
      return { fault: 'tls.crt does not lead to an authority of ca.crt, or one of them is not valid now' };
    }
    const { serialNumber } = leaf;
    return { serving: { certificate, privateKey, bundle, serialNumber, notAfterMillis: leaf.validToDate.getTime() } };
  } catch (error) {
    return { fault: `a certificate cannot be read: ${(error as Error).message}` };
  }
}
