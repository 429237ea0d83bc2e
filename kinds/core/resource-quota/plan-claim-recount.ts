import { quantityFromInteger, signOfQuantity, subtractQuantities } from '../../../core/quantity/quantity.ts';
import type { Claim } from './claim-text.ts';
import { coversUsage, formatClaimKey, isLaterVersion, type QuotaLedgerState } from './quota-claim.ts';
import type { ResourceQuotaSpec } from './schema.ts';
import { addUsage, equalUsage, exceedUsage, maskUsage, readUsage, type Usage } from './usage.ts';

const ZERO = quantityFromInteger(0);

/** The host ends every write within 34 s of its start; a claim is made after that start. */
export const CLAIM_LIFETIME_MILLIS = 36_000;

/** What a list said of one object. */
export interface ObservedObject {
  /** What it uses of the quota; empty when it is outside the quota's scopes. */
  readonly usage: Usage;
  readonly version: string;
}

/** What a consistent list of all objects that a quota counts has said. */
export interface RecountFacts {
  readonly spec: ResourceQuotaSpec;
  /** The quota as it is now: read after the list was begun, and not counted by anyone else in between. */
  readonly ledger: QuotaLedgerState;
  /** Sum of the listed objects; holds every resource that was counted, and no other. */
  readonly counted: Usage;
  /** Resources whose objects could not be listed; they and the claims on them stay as they are. Absent: none. */
  readonly unlisted?: ReadonlySet<string>;
  /** Whether `ledger` was counted for `spec`; else nothing is known of the resources that could not be listed. */
  readonly isCounted?: boolean;
  /** Each listed object, by uid. */
  readonly observed: ReadonlyMap<string, ObservedObject>;
  /** When the counter first saw each claim, by its key, by a clock that never jumps; claims that it has not seen yet are absent. */
  readonly seenMillis: ReadonlyMap<string, number>;
  /** When the first request of the list was sent, by the same clock. */
  readonly listBegunMillis: number;
  /** uids of objects that are known to have been deleted, at whatever time. */
  readonly deleted: Pick<ReadonlySet<string>, 'has'>;
}

/** What a quota's status should be. */
export interface RecountDecision {
  readonly ledger: QuotaLedgerState;
  /** Whether hard, used or claims differ from what they were. */
  readonly isChanged: boolean;
  /** Keys of the claims that are left. */
  readonly openKeys: readonly string[];
}

/**
 * Whether it is known how the writes behind a claim have ended, so that the list holds their outcome. A uid is created once, and never
 * comes back after its deletion; a change of a version that is not the newest any more is never stored. Everything else has ended for
 * certain when the host's time for a write was over before the list began.
 */
function isClosed(claim: Claim, facts: RecountFacts): boolean {
  if (facts.deleted.has(claim.uid)) return true;
  const observed = facts.observed.get(claim.uid);
  if (observed !== undefined && claim.isNew) return true;
  if (observed !== undefined && claim.version !== undefined && isLaterVersion(observed.version, claim.version))
    return true;
  const seenMillis = facts.seenMillis.get(formatClaimKey(claim));
  if (seenMillis === undefined || seenMillis > facts.listBegunMillis) return false;
  if (observed !== undefined && coversUsage(observed.usage, claim.usage)) return true;
  return facts.listBegunMillis - seenMillis >= CLAIM_LIFETIME_MILLIS;
}

function sumCharges(claims: Iterable<Claim>): Usage {
  let sum: Usage = new Map();
  for (const { charge } of claims) sum = addUsage(sum, charge);
  return sum;
}

/** What nothing counts keeps its amount, but for the charges of claims that are closed. */
function keepUncounted(facts: RecountFacts, left: ReadonlyMap<string, Claim>): Usage {
  const { ledger, counted, unlisted, isCounted = true } = facts;
  const closed = sumCharges([...ledger.claims.values()].filter(({ uid }) => !left.has(uid)));
  const kept = new Map<string, ReturnType<typeof subtractQuantities>>();
  for (const [name, amount] of ledger.used) {
    if (counted.has(name) || (!isCounted && unlisted?.has(name) === true)) continue;
    const rest = subtractQuantities(amount, closed.get(name) ?? ZERO);
    kept.set(name, signOfQuantity(rest) < 0 ? ZERO : rest);
  }
  return kept;
}

/**
 * Decides a quota's status on a host from a count: each object at what it uses, or at what an open claim says that it may use if that is
 * more. Claims whose writes have ended are closed.
 */
export function planClaimRecount(facts: RecountFacts): RecountDecision {
  const { ledger, counted, observed } = facts;
  const hard = readUsage(facts.spec.hard);
  const left = new Map<string, Claim>();
  for (const claim of ledger.claims.values()) {
    const isUnlisted = [...claim.usage.keys()].some((name) => facts.unlisted?.has(name) === true);
    if (!isUnlisted && isClosed(claim, facts)) continue;
    const isListed = [...claim.usage.keys()].some((name) => counted.has(name));
    if (!isListed) {
      left.set(claim.uid, claim);
      continue;
    }
    const charge = exceedUsage(claim.usage, observed.get(claim.uid)?.usage ?? new Map());
    // What was counted of the object and this charge are all of the usage, whatever the version.
    const { mixed: _, ...known } = claim;
    left.set(claim.uid, { ...known, charge });
  }
  const uncounted = keepUncounted(facts, left);
  const charges = maskUsage(sumCharges(left.values()), counted.keys());
  const used = maskUsage(new Map([...uncounted, ...addUsage(counted, charges)]), hard.keys());
  const isChanged =
    left.size !== ledger.claims.size ||
    !equalUsage(hard, ledger.hard) ||
    !equalUsage(used, ledger.used) ||
    [...left.values()].some(({ uid, charge }) => !equalUsage(charge, ledger.claims.get(uid)?.charge ?? new Map()));
  return {
    ledger: { ...ledger, spec: facts.spec, hard, used, claims: left },
    isChanged,
    openKeys: [...left.values()].map(formatClaimKey),
  };
}
