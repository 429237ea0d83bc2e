import type { X509Certificate } from 'node:crypto';

import type { CallerTrust } from './caller-trust.ts';
import type { ServedFacts } from './certificate-facts.ts';
import { findTrustAnchor } from './read-certificate.ts';

/** What is known when an authority of somebody else's may have been replaced. */
export interface OverlapFacts {
  readonly nowMillis: number;
  /** The certificate that is to be served, and what is between it and its authority; the server's own is the first. */
  readonly chain: readonly X509Certificate[];
  /** The authorities that came with it. */
  readonly offered: readonly X509Certificate[];
  /** Since when these are known to be the ones that came last. */
  readonly offeredSinceMillis: number;
  /** What callers trust at present; this is where the authorities before are remembered. */
  readonly callers: CallerTrust;
  readonly served: readonly ServedFacts[];
  /** How long those before stay when the offered ones are trusted by every caller. */
  readonly settleMillis: number;
}

/** What callers are to trust. */
export interface OverlapPlan {
  readonly bundle: readonly X509Certificate[];
  /** Whether authorities are in it that were not offered. */
  readonly isOverlapping: boolean;
  /** When this may change by time alone; absent when it cannot. */
  readonly againAtMillis?: number;
}

/**
 * Decides what callers are to trust: the authorities offered, and those that they trust now for as long as a replica may serve what one of
 * these signed. A replica may while the new ones have not been trusted everywhere for the settle time, while it was seen to, and while
 * it cannot be asked.
 */
export function planOverlap(facts: OverlapFacts): OverlapPlan {
  const { nowMillis, chain, offered, offeredSinceMillis, callers, served, settleMillis } = facts;
  const known = new Set(offered.map((one) => one.fingerprint256));
  const earlier = new Map(
    callers.bundles
      .flat()
      .filter((one) => !known.has(one.fingerprint256) && nowMillis < one.validToDate.getTime())
      .map((one) => [one.fingerprint256, one]),
  );
  if (earlier.size === 0) return { bundle: offered, isOverlapping: false };
  const sinceMillis = offered.map((one) => callers.trustedSinceMillis.get(one.fingerprint256) ?? Infinity);
  const settledMillis = Math.max(offeredSinceMillis, ...sinceMillis) + settleMillis;
  const isNewest = ({ certificate }: ServedFacts): boolean =>
    certificate !== undefined &&
    (certificate.fingerprint256 === chain[0]?.fingerprint256 ||
      findTrustAnchor([certificate, ...chain.slice(1)], offered, nowMillis) !== undefined);
  if (settledMillis <= nowMillis && served.every(isNewest)) return { bundle: offered, isOverlapping: false };
  const ends = [...earlier.values()].map((one) => one.validToDate.getTime());
  const turns = [settledMillis, ...ends].filter((millis) => millis > nowMillis && millis !== Infinity);
  return {
    bundle: [...offered, ...earlier.values()],
    isOverlapping: true,
    ...(turns.length === 0 ? {} : { againAtMillis: Math.min(...turns) }),
  };
}
