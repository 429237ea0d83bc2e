import type { X509Certificate } from 'node:crypto';

/**
 * Since when each authority is known to be in every bundle that callers check with, by fingerprint. One that is missing somewhere is not
 * in the answer, and counts anew when it is back.
 */
export function observeTrust(
  previousSinceMillis: ReadonlyMap<string, number>,
  authorities: readonly X509Certificate[],
  bundles: readonly (readonly X509Certificate[])[],
  nowMillis: number,
): Map<string, number> {
  const sinceMillis = new Map<string, number>();
  for (const { fingerprint256 } of authorities) {
    const isEverywhere = bundles.every((bundle) => bundle.some((other) => other.fingerprint256 === fingerprint256));
    if (isEverywhere) sinceMillis.set(fingerprint256, previousSinceMillis.get(fingerprint256) ?? nowMillis);
  }
  return sinceMillis;
}
