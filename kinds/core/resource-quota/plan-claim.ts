import { quantityFromInteger, subtractQuantities } from '../../../core/quantity/quantity.ts';
import { formatGroupResource } from '../../../core/meta/resource-name.ts';
import { formatDate } from '../../../core/time/format-date.ts';
import { matchesScopes } from './match-quota.ts';
import { planCharge, planDelta } from './plan-charge.ts';
import { planRefund } from './plan-status.ts';
import type { Claim } from './claim-text.ts';
import { isLaterVersion, MAX_CLAIMS, type QuotaLedgerState } from './quota-claim.ts';
import { addUsage, equalUsage, exceedUsage, maskUsage, maximizeUsage, type Usage } from './usage.ts';
import type { QuotaRequest, UsageEvaluator } from './usage-evaluator.ts';

const ZERO = quantityFromInteger(0);

/** A write that asks to be let through. */
export interface ClaimRequest {
  readonly evaluator: UsageEvaluator;
  readonly request: QuotaRequest;
}

/** When claims are made: `since` is text of a MicroTime that no other claim has, as far as chance can see to it. */
export interface ClaimMoment {
  readonly nowMillis: number;
  readonly since: string;
}

/** A quota with what a write claims of it. */
interface ClaimedLedger {
  readonly ledger: QuotaLedgerState;
  readonly claim: Claim;
  /** Whether the object had no claim on the quota before: then a release may remove it. */
  readonly isFirst: boolean;
}

/**
 * Why a write is refused, in Kubernetes' wording (`isTransient`: not for want of room, it may be tried again), or the quotas that it
 * claims something of, by name; the others are absent.
 */
export type ClaimDecision =
  | { readonly refusal: string; readonly isTransient?: boolean; readonly claimed?: undefined }
  | { readonly refusal?: undefined; readonly claimed: ReadonlyMap<string, ClaimedLedger> };

/** A text that sorts after `previous`, of the same form; `since` itself when it does already. */
function makeLater(since: string, previous: string | undefined): string {
  if (previous === undefined || since > previous) return since;
  const micros = BigInt(Date.parse(`${previous.slice(0, 19)}Z`)) * 1000n + BigInt(previous.slice(20, 26)) + 1n;
  return `${formatDate(Number(micros / 1_000_000n) * 1000).slice(0, 19)}.${String(micros % 1_000_000n).padStart(6, '0')}Z`;
}

function subtractUsage(a: Usage, b: Usage): Usage {
  return new Map([...a].map(([name, amount]) => [name, subtractQuantities(amount, b.get(name) ?? ZERO)]));
}

/** What the stored object uses of a quota; nothing when it is new, or new to the quota. */
function measureBefore(ledger: QuotaLedgerState, { evaluator, request }: ClaimRequest, nowMillis: number): Usage {
  const { oldObject } = request;
  if (oldObject === undefined || !matchesScopes(ledger.spec, evaluator, oldObject)) return new Map();
  return evaluator.measure(oldObject, nowMillis);
}

/** What is known of the versions that the writes behind a claim were made on, once `usage` is what they may come to. */
function mergeVersions(
  previous: Claim,
  version: string | undefined,
  usage: Usage,
  wanted: Usage,
): Pick<Claim, 'version' | 'mixed'> {
  if (version === undefined || version === previous.version) return pickVersion(previous);
  const isOlder = previous.version !== undefined && isLaterVersion(previous.version, version);
  if (isOlder) {
    return pickVersion({ ...previous, mixed: previous.mixed === true || !equalUsage(usage, previous.usage) });
  }
  return pickVersion({ version, mixed: !equalUsage(usage, wanted) });
}

function pickVersion({ version, mixed }: Pick<Claim, 'version' | 'mixed'>): Pick<Claim, 'version' | 'mixed'> {
  return { ...(version === undefined ? {} : { version }), ...(mixed === true ? { mixed } : {}) };
}

/**
 * The claim of a write that makes its object use more, on top of the one that the object has already, and what of it `used` lacks.
 * `used` always holds at least what the stored object uses, and what the claim was charged; it holds all that the claim stands for when
 * the object was new, or is still the version that the claim was made on.
 */
function extendClaim(
  ledger: QuotaLedgerState,
  write: ClaimRequest,
  delta: Usage,
  { nowMillis, since }: ClaimMoment,
): { claim: Claim; added: Usage } {
  const { evaluator, request } = write;
  const { object, oldObject } = request;
  const uid = object.metadata.uid ?? '';
  const resource = formatGroupResource(evaluator.group, evaluator.resource);
  const version = oldObject?.metadata.resourceVersion;
  const wanted = maskUsage(evaluator.measure(object, nowMillis), delta.keys());
  const previous = ledger.claims.get(uid);
  if (previous === undefined) {
    const own = { uid, resource, usage: wanted, charge: delta, isNew: oldObject === undefined, since };
    return { claim: version === undefined ? own : { ...own, version }, added: delta };
  }
  const isSameVersion = previous.version !== undefined && previous.version === version && previous.mixed !== true;
  const held = maximizeUsage(
    measureBefore(ledger, write, nowMillis),
    isSameVersion || previous.isNew ? previous.usage : previous.charge,
  );
  const added = exceedUsage(wanted, held);
  const usage = maximizeUsage(previous.usage, wanted);
  const claim: Claim = {
    ...{ uid, resource, usage, charge: addUsage(previous.charge, added) },
    isNew: previous.isNew && oldObject === undefined,
    ...mergeVersions(previous, version, usage, wanted),
    since: makeLater(since, previous.since),
  };
  return { claim, added };
}

/**
 * Decides whether a write fits all quotas of its namespace at once, on a host, and what it claims of each ("ResourceQuota"). A claim is
 * what the object may use in all: one that comes again (the host tries anew, the review was sent twice) is charged only for what is new.
 */
export function planClaim(
  ledgers: readonly QuotaLedgerState[],
  write: ClaimRequest,
  moment: ClaimMoment,
): ClaimDecision {
  const { evaluator, request } = write;
  const claimed = new Map<string, ClaimedLedger>();
  if (!evaluator.handles(request)) return { claimed };
  const standings = ledgers.map((ledger) => {
    const delta = planDelta(ledger, evaluator, request, moment.nowMillis);
    if (delta.size === 0) return { ledger, state: ledger };
    const { claim, added } = extendClaim(ledger, write, delta, moment);
    // What the object's earlier claim has taken already is no other's use.
    const others = addUsage(subtractUsage(ledger.used, maskUsage(delta, ledger.used.keys())), added);
    return { ledger, state: { ...ledger, used: maskUsage(others, ledger.used.keys()) }, claim, added };
  });
  const decision = planCharge(
    standings.map(({ state }) => state),
    evaluator,
    request,
    moment.nowMillis,
  );
  if (decision.refusal !== undefined) return { refusal: decision.refusal };
  for (const { ledger, claim, added } of standings) {
    if (claim === undefined) continue;
    const isFirst = !ledger.claims.has(claim.uid);
    if (isFirst && ledger.claims.size >= MAX_CLAIMS) {
      return { refusal: `too many writes under way in quota: ${ledger.name}`, isTransient: true };
    }
    const claims = new Map(ledger.claims).set(claim.uid, claim);
    const used = addUsage(ledger.used, added);
    claimed.set(ledger.name, { ledger: { ...ledger, used, claims }, claim, isFirst });
  }
  return { claimed };
}

/** Takes a claim back that was the first of its object; `undefined` when it is not there any more as it was made. */
export function planRelease(
  ledger: QuotaLedgerState,
  { uid, since }: Pick<Claim, 'uid' | 'since'>,
): QuotaLedgerState | undefined {
  const claim = ledger.claims.get(uid);
  if (claim?.since !== since) return undefined;
  const claims = new Map(ledger.claims);
  claims.delete(uid);
  return { ...ledger, used: planRefund(ledger.used, claim.charge), claims };
}
