import { matchesScopes } from '../../../kinds/core/resource-quota/match-quota.ts';
import { type ClaimRequest, planClaim, planRelease } from '../../../kinds/core/resource-quota/plan-claim.ts';
import type { Claim } from '../../../kinds/core/resource-quota/claim-text.ts';
import {
  isCounted,
  type LedgerQuota,
  type QuotaLedgerState,
  readLedger,
} from '../../../kinds/core/resource-quota/quota-claim.ts';
import { formatMicroTime } from '../../../core/time/time.ts';
import { sleep } from '../../../platform/process/clock.ts';
import { awaitRetry } from '../quota-status.ts';
import { interpretQuota, type QuotaReading, readLedgerQuota } from './interpret-quota.ts';
import type { LedgerCache } from './ledger-cache.ts';
import { swapLedger } from './swap-ledger.ts';

/** What claiming needs. */
export interface ClaimServices extends QuotaReading {
  readonly quotas: LedgerCache;
  /** A number from 0 to below 1; keeps claims of one moment apart. */
  readonly random: () => number;
  /** Told of every try to store claims. */
  readonly onSwap?: (outcome: 'stored' | 'outrun', claims: number) => void;
  /** Told when the host failed: nobody is let through for it, and claims that could not be taken back are closed in time. */
  readonly onFailure: (doing: 'claim' | 'release', error: unknown) => void;
}

/** A write that waits for its claims. */
export interface WaitingWrite extends ClaimRequest {
  readonly dryRun: boolean;
  /** Whether its caller has gone: nothing is claimed for it any more. */
  isAbandoned(): boolean;
}

/**
 * Why a write is refused, in Kubernetes' wording; `isTransient`: not for want of room, it may be tried again. `error`: the host failed, and
 * nothing can be said. Neither: the write may go on.
 */
export interface ClaimResult {
  readonly refusal?: string;
  readonly isTransient?: boolean;
  readonly error?: unknown;
}

/** How long a new or changed quota is given to be counted. */
const COUNT_WAIT_MILLIS = 3_000;
const COUNT_POLL_MILLIS = 100;
const RELEASE_ATTEMPTS = 5;

interface Standing {
  readonly write: WaitingWrite;
  result: ClaimResult;
  /** Claims that are stored, by quota. */
  readonly stored: Map<string, { readonly claim: Claim; readonly isFirst: boolean }>;
}

function listNames({ spec }: LedgerQuota, { evaluator, request }: ClaimRequest): string[] {
  const names = evaluator.selectResources(Object.keys(spec.hard ?? {}));
  return names.length > 0 && matchesScopes(spec, evaluator, request.object) ? names : [];
}

function findUncounted(quotas: readonly LedgerQuota[], write: ClaimRequest): ClaimResult | undefined {
  for (const quota of quotas) {
    if (isCounted(quota)) continue;
    const names = listNames(quota, write);
    if (names.length === 0) continue;
    return { refusal: `status unknown for quota: ${quota.metadata.name}, resources: ${names.toSorted().join(',')}` };
  }
  return undefined;
}

function isAdmitted({ refusal, error }: ClaimResult): boolean {
  return refusal === undefined && error === undefined;
}

interface Plan {
  readonly results: ReadonlyMap<Standing, ClaimResult>;
  readonly ledgers: ReadonlyMap<string, QuotaLedgerState>;
  readonly claims: ReadonlyMap<Standing, ReadonlyMap<string, { readonly claim: Claim; readonly isFirst: boolean }>>;
}

/** Decides about all writes in turn, each on top of what the ones before it claim. */
function planAll(services: ClaimServices, quotas: readonly LedgerQuota[], standings: readonly Standing[]): Plan {
  const nowMillis = services.clock.now();
  const states = new Map(quotas.filter(isCounted).map((quota) => [quota.metadata.name ?? '', readLedger(quota)]));
  const changed = new Map<string, QuotaLedgerState>();
  const results = new Map<Standing, ClaimResult>();
  const claims = new Map<Standing, Map<string, { claim: Claim; isFirst: boolean }>>();
  for (const standing of standings) {
    const { write } = standing;
    const uncounted = findUncounted(quotas, write);
    const since =
      formatMicroTime(nowMillis).slice(0, -4) + String(Math.floor(services.random() * 1000)).padStart(3, '0') + 'Z';
    const decision = uncounted ?? planClaim([...states.values()], write, { nowMillis, since });
    if (decision.refusal !== undefined) {
      const { refusal, isTransient = false } = decision;
      results.set(standing, { refusal, isTransient });
      continue;
    }
    results.set(standing, {});
    if (write.dryRun || !('claimed' in decision) || decision.claimed === undefined) continue;
    const own = new Map<string, { claim: Claim; isFirst: boolean }>();
    for (const [name, { ledger, claim, isFirst }] of decision.claimed) {
      states.set(name, ledger);
      changed.set(name, ledger);
      own.set(name, { claim, isFirst });
    }
    claims.set(standing, own);
  }
  return { results, ledgers: changed, claims };
}

function keepStored(services: ClaimServices, stored: LedgerQuota): void {
  const quota = interpretQuota(services, stored);
  if (quota !== undefined) services.quotas.keep(quota);
}

/** The newest state of a quota, once it is counted for its spec or `endMillis` has come; `undefined` when it is gone or another one. */
async function readCounted(
  services: ClaimServices,
  namespace: string,
  known: LedgerQuota,
  endMillis: number,
): Promise<LedgerQuota | undefined> {
  for (;;) {
    const quota = await readLedgerQuota(services, namespace, known.metadata.name ?? '');
    if (quota === undefined || quota.metadata.uid !== known.metadata.uid) return undefined;
    services.quotas.keep(quota);
    if (isCounted(quota) || services.clock.now() >= endMillis) return quota;
    await sleep(services.clock, COUNT_POLL_MILLIS);
  }
}

function concerns(quota: LedgerQuota, standings: readonly Standing[]): boolean {
  return standings.some(({ write }) => listNames(quota, write).length > 0);
}

/** The quotas that concern the writes; those not counted for their spec yet get some time for that. */
async function listConcerned(
  services: ClaimServices,
  namespace: string,
  standings: readonly Standing[],
  endMillis: number,
): Promise<LedgerQuota[]> {
  for (;;) {
    const quotas = services.quotas.list(namespace).filter((quota) => concerns(quota, standings));
    if (quotas.every(isCounted) || services.clock.now() >= endMillis) return quotas;
    await sleep(services.clock, COUNT_POLL_MILLIS);
  }
}

/** Stores the claims that writes have on one quota; those that find no room there after all are refused. */
async function claimOne(
  services: ClaimServices,
  namespace: string,
  known: LedgerQuota,
  standings: readonly Standing[],
  endMillis: number,
): Promise<void> {
  const { name = '' } = known.metadata;
  let quota = known;
  let isFresh = false;
  for (let attempt = 1; ; attempt++) {
    const asking = standings.filter(({ write, result }) => isAdmitted(result) && !write.isAbandoned());
    const plan = planAll(services, [quota], asking);
    if (isFresh || [...plan.results.values()].every(isAdmitted)) {
      for (const [standing, result] of plan.results) standing.result = result;
      const ledger = plan.ledgers.get(name);
      if (ledger === undefined) return;
      const stored = await swapLedger(services.client, quota, ledger);
      services.onSwap?.(stored === undefined ? 'outrun' : 'stored', plan.claims.size);
      if (stored !== undefined) {
        keepStored(services, stored);
        for (const [standing, claims] of plan.claims) {
          const claim = claims.get(name);
          if (claim !== undefined) standing.stored.set(name, claim);
        }
        return;
      }
      if (attempt > 1) await awaitRetry(services.clock, Math.floor(services.random() * attempt));
    }
    const fresh = await readCounted(services, namespace, known, endMillis);
    if (fresh === undefined) return;
    quota = fresh;
    isFresh = true;
  }
}

/** Takes back what a write has claimed that is not let through; what cannot be taken back is closed in time. */
async function release(services: ClaimServices, namespace: string, { stored }: Standing): Promise<void> {
  for (const [name, { claim, isFirst }] of stored) {
    if (!isFirst) continue;
    for (let attempt = 1; attempt <= RELEASE_ATTEMPTS; attempt++) {
      const quota = await readLedgerQuota(services, namespace, name);
      const ledger = quota && planRelease(readLedger(quota), claim);
      if (quota === undefined || ledger === undefined) break;
      const swapped = await swapLedger(services.client, quota, ledger);
      if (swapped !== undefined) {
        keepStored(services, swapped);
        break;
      }
      await awaitRetry(services.clock, attempt);
    }
  }
}

async function releaseLost(services: ClaimServices, namespace: string, standings: readonly Standing[]): Promise<void> {
  const lost = standings.filter(
    ({ write, result, stored }) => stored.size > 0 && (!isAdmitted(result) || write.isAbandoned()),
  );
  try {
    for (const standing of lost) await release(services, namespace, standing);
  } catch (error) {
    services.onFailure('release', error);
  }
}

/**
 * Decides about writes of one namespace together, and stores their claims: one compare-and-swap a quota, quotas in order of their names.
 * What a cached quota would refuse is asked of the newest state first. Results are in order; none says yes before its claims are stored.
 */
export async function claimWrites(
  services: ClaimServices,
  namespace: string,
  writes: readonly WaitingWrite[],
): Promise<readonly ClaimResult[]> {
  const standings = writes.map((write): Standing => ({ write, result: {}, stored: new Map() }));
  const endMillis = services.clock.now() + COUNT_WAIT_MILLIS;
  let quotas = await listConcerned(services, namespace, standings, endMillis);
  let plan = planAll(services, quotas, standings);
  if (![...plan.results.values()].every(isAdmitted)) {
    const fresh = await Promise.all(quotas.map((quota) => readCounted(services, namespace, quota, endMillis)));
    quotas = fresh.filter((quota) => quota !== undefined);
    plan = planAll(services, quotas, standings);
  }
  for (const [standing, result] of plan.results) standing.result = result;
  for (const quota of quotas) {
    const claiming = standings.filter((standing) => plan.claims.get(standing)?.has(quota.metadata.name ?? '') === true);
    if (claiming.length === 0) continue;
    try {
      await claimOne(services, namespace, quota, claiming, endMillis);
    } catch (error) {
      services.onFailure('claim', error);
      for (const standing of claiming) if (isAdmitted(standing.result)) standing.result = { error };
    }
  }
  await releaseLost(services, namespace, standings);
  return standings.map(({ result }) => result);
}
