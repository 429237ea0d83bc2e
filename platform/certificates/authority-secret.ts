import type { Authority } from './certificate-facts.ts';
import { matchesPrivateKey, readCertificates } from './read-certificate.ts';
import { encodeSecretData, readSecretText } from './serving-secret.ts';
import type { SecretObject } from './serving-secret.ts';

const certificateKey = /^authority-(\d+)\.crt$/;

function readAuthority(secret: SecretObject, number: number): Authority | undefined {
  try {
    const [certificate] = readCertificates(readSecretText(secret, `authority-${number}.crt`));
    if (certificate === undefined || !certificate.ca) return undefined;
    const privateKey = readSecretText(secret, `authority-${number}.key`);
    return matchesPrivateKey(certificate, privateKey) ? { certificate, privateKey } : { certificate };
  } catch {
    // What cannot be read cannot vouch for anything; the plan makes up for it.
    return undefined;
  }
}

/** The authorities in the Secret (`authority-1.crt`, `authority-1.key` …), from the oldest to the newest, without those that cannot be read. */
export function readAuthoritySecret(secret: SecretObject): Authority[] {
  return Object.keys(secret.data ?? {})
    .map((key) => Number(certificateKey.exec(key)?.[1] ?? Number.NaN))
    .filter((number) => !Number.isNaN(number))
    .toSorted((left, right) => left - right)
    .map((number) => readAuthority(secret, number))
    .filter((authority) => authority !== undefined);
}

/** `data` of the Secret that holds these authorities, which are from the oldest to the newest. */
export function encodeAuthorityData(authorities: readonly Authority[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [index, { certificate, privateKey }] of authorities.entries()) {
    texts[`authority-${index + 1}.crt`] = certificate.toString();
    if (privateKey !== undefined) texts[`authority-${index + 1}.key`] = privateKey;
  }
  return encodeSecretData(texts);
}
