import type {
  Authority,
  CertificateSettings,
  ValidityPeriod,
} from '../../../platform/certificates/certificate-facts.ts';
import { backdateMillis, findRenewalMillis } from '../../../platform/certificates/plan-certificates.ts';

/** Everything that the plan of the agents' authorities looks at. */
export interface AgentAuthorityFacts {
  readonly nowMillis: number;
  readonly settings: CertificateSettings;
  /** From the oldest to the newest; empty when there is no Secret or nothing in it that can be read. */
  readonly authorities: readonly Authority[];
  /** A rotation that was asked for and not yet begun. */
  readonly isRotationAsked: boolean;
}

/** An authority that can sign. */
export type SigningAuthority = Authority & { readonly privateKey: string };

/** One thing to write, and why. */
export type AgentAuthorityStep =
  | {
      readonly action: 'introduce';
      readonly keep: readonly Authority[];
      readonly validity: ValidityPeriod;
      readonly reason: string;
    }
  | { readonly action: 'write'; readonly authorities: readonly Authority[]; readonly reason: string };

/** What to do about the agents' authorities. */
export interface AgentAuthorityPlan {
  /** The one thing to write now; the facts are gathered anew after it. */
  readonly step?: AgentAuthorityStep;
  /** Who signs now; absent: nobody can. */
  readonly signer?: SigningAuthority;
  readonly againAtMillis: number;
}

const longestWaitMillis = 3_600_000;
const shortestWaitMillis = 250;

function isValidAt({ certificate }: Authority, millis: number): boolean {
  return certificate.validFromDate.getTime() <= millis && millis < certificate.validToDate.getTime();
}

/** When everybody who calls agents has had the time to learn of an authority. */
function findSettledMillis({ settings }: AgentAuthorityFacts, { certificate }: Authority): number {
  return certificate.validFromDate.getTime() + backdateMillis + settings.settleMillis;
}

/** When nothing that an older authority signed is valid any more: it signed until the next was settled. */
function findRetirementMillis(facts: AgentAuthorityFacts, authority: Authority, next: Authority | undefined): number {
  const endMillis = authority.certificate.validToDate.getTime();
  if (next === undefined) return endMillis;
  return Math.min(endMillis, findSettledMillis(facts, next) + facts.settings.servingValidityMillis);
}

function chooseSigner(facts: AgentAuthorityFacts): SigningAuthority | undefined {
  const { authorities, nowMillis } = facts;
  const signers = authorities
    .filter((one): one is SigningAuthority => one.privateKey !== undefined && isValidAt(one, nowMillis))
    .toReversed();
  return signers.find((one) => findSettledMillis(facts, one) <= nowMillis) ?? signers[0];
}

function explainIntroduction(facts: AgentAuthorityFacts, signer: SigningAuthority | undefined): string | undefined {
  if (signer === undefined) return 'there is no authority that can sign';
  if (signer !== facts.authorities.at(-1)) return undefined;
  if (facts.isRotationAsked) return 'a rotation was asked for';
  return findRenewalMillis(signer.certificate) <= facts.nowMillis ? 'the authority nears its end' : undefined;
}

/** Authorities without those that nothing needs, and without the keys that sign no more; the same list when all is as it should be. */
function planKept(facts: AgentAuthorityFacts, signer: SigningAuthority | undefined): readonly Authority[] {
  const { authorities, nowMillis } = facts;
  const signerIndex = signer === undefined ? -1 : authorities.indexOf(signer);
  const kept = authorities.filter((one, index) => findRetirementMillis(facts, one, authorities[index + 1]) > nowMillis);
  const isOlder = (one: Authority): boolean => authorities.indexOf(one) < signerIndex;
  const isSame =
    kept.length === authorities.length && !kept.some((one) => isOlder(one) && one.privateKey !== undefined);
  return isSame ? authorities : kept.map((one) => (isOlder(one) ? { certificate: one.certificate } : one));
}

/**
 * Decides the next step with the authorities of the agents' certificates. Only the operator trusts them: a new one signs once every replica
 * has had the time to learn of it, and an old one goes when nothing that it signed is valid any more.
 */
export function planAgentAuthorities(facts: AgentAuthorityFacts): AgentAuthorityPlan {
  const { nowMillis, settings, authorities } = facts;
  const signer = chooseSigner(facts);
  const kept = planKept(facts, signer);
  const turns = authorities.flatMap((one, index) => [
    findSettledMillis(facts, one),
    findRenewalMillis(one.certificate),
    findRetirementMillis(facts, one, authorities[index + 1]),
  ]);
  const next = Math.min(nowMillis + longestWaitMillis, ...turns.filter((millis) => millis > nowMillis));
  const plan = {
    ...(signer === undefined ? {} : { signer }),
    againAtMillis: Math.max(nowMillis + shortestWaitMillis, next),
  };
  const reason = explainIntroduction(facts, signer);
  if (reason !== undefined) {
    const validity = {
      notBeforeMillis: nowMillis - backdateMillis,
      notAfterMillis: nowMillis + settings.authorityValidityMillis,
    };
    return { ...plan, step: { action: 'introduce', keep: kept, validity, reason } };
  }
  if (kept === authorities) return plan;
  return { ...plan, step: { action: 'write', authorities: kept, reason: 'an older authority is needed no more' } };
}
