import type { X509Certificate } from 'node:crypto';

import type {
  Authority,
  CertificateFacts,
  CertificatePlan,
  CertificateStep,
  ServingFacts,
  ValidityPeriod,
} from './certificate-facts.ts';
import { canonicalizeName, findTrustAnchor, isSignedBy, readSubjectNames } from './read-certificate.ts';

/** Callers whose clock is a little behind must not refuse a new certificate. */
export const backdateMillis = 3_600_000;
/** Part of its life that is left when a certificate is renewed. */
const renewalFraction = 1 / 3;
const longestWaitMillis = 3_600_000;
const shortestWaitMillis = 250;

/** An authority that can sign: it has its key and is valid. */
type Signer = Authority & { readonly privateKey: string };

/** When a certificate is due for renewal, in milliseconds since the epoch. */
export function findRenewalMillis(certificate: X509Certificate): number {
  const startMillis = certificate.validFromDate.getTime() + backdateMillis;
  const endMillis = certificate.validToDate.getTime();
  return endMillis - Math.max(0, endMillis - startMillis) * renewalFraction;
}

function isValidAt(certificate: X509Certificate, millis: number): boolean {
  return certificate.validFromDate.getTime() <= millis && millis < certificate.validToDate.getTime();
}

function listCertificates(facts: CertificateFacts): X509Certificate[] {
  return facts.authorities.map((authority) => authority.certificate);
}

function isSame(left: X509Certificate, right: X509Certificate): boolean {
  return left.fingerprint256 === right.fingerprint256;
}

/** When every caller has trusted the authority for long enough; `undefined` while not all are known to. */
function findSettledMillis(facts: CertificateFacts, authority: Authority): number | undefined {
  const sinceMillis = facts.trustedSinceMillis.get(authority.certificate.fingerprint256);
  return sinceMillis === undefined ? undefined : sinceMillis + facts.settings.settleMillis;
}

function isSettled(facts: CertificateFacts, authority: Authority): boolean {
  return (findSettledMillis(facts, authority) ?? Infinity) <= facts.nowMillis;
}

/** The known authority that the certificate in the Secret leads to; `undefined` when the Secret holds nothing that can be served. */
function findAnchor(facts: CertificateFacts, { chain, subjectNames }: ServingFacts): X509Certificate | undefined {
  const [leaf] = chain ?? [];
  if (chain === undefined || leaf === undefined) return undefined;
  const names = readSubjectNames(leaf);
  if (!subjectNames.every((name) => names.has(canonicalizeName(name)))) return undefined;
  return findTrustAnchor(chain, listCertificates(facts), facts.nowMillis);
}

/**
 * The authority to sign with: the newest that every caller has trusted for long enough; else the newest that is in use; else, where
 * nothing is served that a caller could trust, the newest that callers trust at all, or the newest.
 */
function chooseSigner(facts: CertificateFacts): Signer | undefined {
  const signers = facts.authorities
    .filter((one): one is Signer => one.privateKey !== undefined && isValidAt(one.certificate, facts.nowMillis))
    .toReversed();
  const anchors = facts.serving.map((serving) => findAnchor(facts, serving));
  return (
    signers.find((one) => isSettled(facts, one)) ??
    signers.find((one) => anchors.some((anchor) => anchor !== undefined && isSame(anchor, one.certificate))) ??
    signers.find((one) => facts.trustedSinceMillis.has(one.certificate.fingerprint256)) ??
    signers[0]
  );
}

/** Authorities that are lost but vouch for what is served: they must stay trusted until it is replaced. */
function listLostAuthorities(facts: CertificateFacts): Authority[] {
  const lost = new Map<string, Authority>();
  for (const { chain, bundle } of facts.serving) {
    const anchor = chain === undefined ? undefined : findTrustAnchor(chain, bundle, facts.nowMillis);
    if (anchor !== undefined) lost.set(anchor.fingerprint256, { certificate: anchor });
  }
  for (const { certificate } of facts.authorities) lost.delete(certificate.fingerprint256);
  return [...lost.values()];
}

function planAuthority(facts: CertificateFacts, signer: Signer | undefined): CertificateStep | undefined {
  const { nowMillis, settings, authorities } = facts;
  const introduce = (reason: string, keep: readonly Authority[]): CertificateStep => ({
    action: 'introduce-authority',
    reason,
    keep,
    validity: {
      notBeforeMillis: nowMillis - backdateMillis,
      notAfterMillis: nowMillis + settings.authorityValidityMillis,
    },
  });
  if (signer === undefined) {
    return introduce('there is no authority that can sign', [...listLostAuthorities(facts), ...authorities]);
  }
  const isUnderWay = authorities.indexOf(signer) < authorities.length - 1;
  if (isUnderWay) return undefined;
  if (facts.isRotationAsked) return introduce('a rotation was asked for', authorities);
  if (findRenewalMillis(signer.certificate) <= nowMillis) return introduce('the authority nears its end', authorities);
  return undefined;
}

/** The validity of a certificate that `signer` signs now: it cannot outlive its authority. */
function planValidity(facts: CertificateFacts, signer: Signer): ValidityPeriod {
  const { nowMillis, settings } = facts;
  return {
    notBeforeMillis: Math.max(nowMillis - backdateMillis, signer.certificate.validFromDate.getTime()),
    notAfterMillis: Math.min(nowMillis + settings.servingValidityMillis, signer.certificate.validToDate.getTime()),
  };
}

/** Why a Secret's certificate is to be replaced; `undefined` when it stays. */
function explainIssue(facts: CertificateFacts, serving: ServingFacts, signer: Signer): string | undefined {
  const anchor = findAnchor(facts, serving);
  const [leaf] = serving.chain ?? [];
  if (anchor === undefined || leaf === undefined) return 'the Secret holds no certificate that can be served';
  const isSigners = isSame(anchor, signer.certificate);
  // What is served is trusted; nothing that is not yet trusted may take its place.
  if (!isSigners && !isSettled(facts, signer)) return undefined;
  if (!isSigners) return 'callers trust the newer authority by now';
  if (findRenewalMillis(leaf) > facts.nowMillis) return undefined;
  const gainMillis = planValidity(facts, signer).notAfterMillis - leaf.validToDate.getTime();
  // At the end of its authority's life a new certificate would not last longer than the old one.
  const leftMillis = leaf.validToDate.getTime() - facts.nowMillis;
  return gainMillis > leftMillis / 2 ? 'the certificate nears its end' : undefined;
}

function planServing(facts: CertificateFacts, serving: ServingFacts, signer: Signer): CertificateStep | undefined {
  const { secret, subjectNames } = serving;
  const bundle = listCertificates(facts);
  const reason = explainIssue(facts, serving, signer);
  if (reason !== undefined) {
    return { action: 'issue', secret, signer, subjectNames, bundle, reason, validity: planValidity(facts, signer) };
  }
  const isPublished =
    serving.bundle.length === bundle.length &&
    bundle.every((authority) => serving.bundle.some((other) => isSame(authority, other)));
  return isPublished
    ? undefined
    : { action: 'publish-bundle', secret, bundle, reason: 'the authorities to trust have changed' };
}

/** When an authority that no longer signs need not be trusted any more; `undefined` while something in a Secret leads to it. */
function findRetirementMillis(facts: CertificateFacts, authority: Authority): number | undefined {
  const { settings, serving, served } = facts;
  let issuedMillis = 0;
  for (const { chain } of serving) {
    const [leaf] = chain ?? [];
    if (leaf === undefined || isSignedBy(leaf, authority.certificate)) return undefined;
    issuedMillis = Math.max(issuedMillis, leaf.validFromDate.getTime() + backdateMillis);
  }
  const endMillis = authority.certificate.validToDate.getTime();
  const isServed = served.some(
    ({ certificate }) => certificate === undefined || isSignedBy(certificate, authority.certificate),
  );
  // A replica that serves an old certificate, or cannot be asked, may do so until that ends.
  return Math.min(endMillis, issuedMillis + (isServed ? settings.servingValidityMillis : settings.settleMillis));
}

function planRetirement(facts: CertificateFacts, signer: Signer): CertificateStep | undefined {
  const { authorities, nowMillis } = facts;
  const older = authorities.slice(0, authorities.indexOf(signer));
  const ended = authorities.filter(
    (one) =>
      nowMillis >=
      Math.min(
        one.certificate.validToDate.getTime(),
        older.includes(one) ? (findRetirementMillis(facts, one) ?? Infinity) : Infinity,
      ),
  );
  if (ended.length > 0) {
    const kept = authorities.filter((one) => !ended.includes(one));
    return { action: 'write-authorities', authorities: kept, reason: 'no certificate needs an old authority any more' };
  }
  const hasMoved = older.every((one) => findRetirementMillis(facts, one) !== undefined);
  if (!hasMoved || older.every((one) => one.privateKey === undefined)) return undefined;
  return {
    action: 'write-authorities',
    authorities: authorities.map((one) => (older.includes(one) ? { certificate: one.certificate } : one)),
    reason: 'a newer authority signs now',
  };
}

/** Times at which the plan could come out differently. */
function listTurningPoints(facts: CertificateFacts): number[] {
  const points: (number | undefined)[] = [];
  for (const authority of facts.authorities) {
    points.push(findRenewalMillis(authority.certificate), authority.certificate.validToDate.getTime());
    points.push(findSettledMillis(facts, authority), findRetirementMillis(facts, authority));
  }
  for (const { chain } of facts.serving) {
    const [leaf] = chain ?? [];
    if (leaf !== undefined) points.push(findRenewalMillis(leaf), leaf.validToDate.getTime());
  }
  return points.filter((millis): millis is number => millis !== undefined && millis > facts.nowMillis);
}

/**
 * Decides the next step with an installation's own certificates. An authority is first brought into every bundle, signs only when every
 * caller has trusted it for the settle time, and leaves the bundles only when nothing that is served leads to it. One step at a time, each
 * derived from what is stored, so that a crash between two of them changes nothing.
 */
export function planCertificates(facts: CertificateFacts): CertificatePlan {
  const againAtMillis = Math.max(
    facts.nowMillis + shortestWaitMillis,
    Math.min(facts.nowMillis + longestWaitMillis, ...listTurningPoints(facts)),
  );
  const signer = chooseSigner(facts);
  const introduction = planAuthority(facts, signer);
  if (introduction !== undefined || signer === undefined) {
    return { ...(introduction === undefined ? {} : { step: introduction }), againAtMillis };
  }
  for (const serving of facts.serving) {
    const step = planServing(facts, serving, signer);
    if (step !== undefined) return { step, againAtMillis };
  }
  const retirement = planRetirement(facts, signer);
  return { ...(retirement === undefined ? {} : { step: retirement }), againAtMillis };
}
