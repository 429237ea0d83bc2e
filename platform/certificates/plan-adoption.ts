import type { ServingCertificate } from './certificate-source.ts';
import { findTrustAnchor, joinCertificates, readCertificates } from './read-certificate.ts';

/** When to serve a certificate that was offered, and what callers are to trust until it has been served for a while. */
export interface AdoptionPlan {
  readonly adoptAtMillis: number;
  /** PEM; more than the authorities of the offered certificate when callers do not know these yet. */
  readonly bundle: string;
}

/** Before the current certificate ends so long, waiting is over. */
const marginMillis = 5_000;

/**
 * Decides about a certificate that replaces the one in use. When it leads to an authority that callers trusted before, it is served at
 * once; a new authority that came together with it must first have reached the callers, for which `holdMillis` are given.
 */
export function planAdoption(facts: {
  /** `undefined`: nothing is served yet. */
  readonly current: ServingCertificate | undefined;
  readonly offered: ServingCertificate;
  readonly nowMillis: number;
  readonly holdMillis: number;
}): AdoptionPlan {
  const { current, offered, nowMillis, holdMillis } = facts;
  if (current === undefined) return { adoptAtMillis: nowMillis, bundle: offered.bundle };
  const known = readCertificates(current.bundle);
  if (findTrustAnchor(readCertificates(offered.certificate), known, nowMillis) !== undefined) {
    return { adoptAtMillis: nowMillis, bundle: offered.bundle };
  }
  const valid = known.filter((authority) => authority.validToDate.getTime() > nowMillis);
  const lastMillis = Math.max(nowMillis, current.notAfterMillis - marginMillis);
  return {
    adoptAtMillis: Math.min(nowMillis + holdMillis, lastMillis),
    bundle: joinCertificates([...readCertificates(offered.bundle), ...valid]),
  };
}
