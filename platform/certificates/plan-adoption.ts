import type { X509Certificate } from 'node:crypto';

import type { CallerTrust } from './caller-trust.ts';
import type { ServingCertificate } from './certificate-source.ts';
import { findTrustAnchor, readCertificates } from './read-certificate.ts';

/** Before the current certificate ends so long, waiting is over. */
const marginMillis = 5_000;

/** What is known when a certificate may take the place of the one that is served. */
export interface AdoptionFacts {
  /** `undefined`: nothing is served yet. */
  readonly current: Pick<ServingCertificate, 'certificate' | 'notAfterMillis'> | undefined;
  readonly offered: Pick<ServingCertificate, 'certificate'>;
  /** `undefined` while it is not known. */
  readonly callers: CallerTrust | undefined;
  readonly nowMillis: number;
  /** How long every caller must have trusted an authority before what it signed is served: API servers learn of it one after another. */
  readonly settleMillis: number;
}

/** The authorities that are in every bundle. */
export function findCommonAuthorities(bundles: readonly (readonly X509Certificate[])[]): X509Certificate[] {
  const [first = [], ...rest] = bundles;
  return first.filter((one) =>
    rest.every((bundle) => bundle.some(({ fingerprint256 }) => fingerprint256 === one.fingerprint256)),
  );
}

/** The authority that each caller trusts the certificate by; `undefined` when one does not. */
function findAnchors(certificate: string, { bundles }: CallerTrust, nowMillis: number): X509Certificate[] | undefined {
  const chain = readCertificates(certificate);
  const anchors = bundles.map((bundle) => findTrustAnchor(chain, bundle, nowMillis));
  return anchors.every((anchor) => anchor !== undefined) ? anchors : undefined;
}

/**
 * Decides from when on a certificate that replaces the one in use is served, in milliseconds since the epoch: as soon as every caller has
 * trusted its authority for the settle time, at once where nothing is lost by that, and in any case before the one in use ends.
 */
export function planAdoption(facts: AdoptionFacts): number {
  const { current, offered, callers, nowMillis, settleMillis } = facts;
  if (current === undefined || callers?.bundles.length === 0) return nowMillis;
  const lastMillis = Math.max(nowMillis, current.notAfterMillis - marginMillis);
  if (callers === undefined) return lastMillis;
  const anchors = findAnchors(offered.certificate, callers, nowMillis);
  if (anchors === undefined) return lastMillis;
  // Nobody is served by waiting with what nobody trusts.
  if (findAnchors(current.certificate, callers, nowMillis) === undefined) return nowMillis;
  const since = anchors.map(({ fingerprint256 }) => callers.trustedSinceMillis.get(fingerprint256) ?? nowMillis);
  return Math.min(Math.max(nowMillis, Math.max(...since) + settleMillis), lastMillis);
}
