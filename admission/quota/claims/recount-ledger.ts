import { deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { matchesScopes } from '../../../kinds/core/resource-quota/match-quota.ts';
import {
  CLAIM_LIFETIME_MILLIS,
  type ObservedObject,
  planClaimRecount,
} from '../../../kinds/core/resource-quota/plan-claim-recount.ts';
import { measureObjects } from '../../../kinds/core/resource-quota/plan-status.ts';
import { isCounted, type LedgerQuota, readLedger } from '../../../kinds/core/resource-quota/quota-claim.ts';
import { addUsage, maskUsage, type Usage } from '../../../kinds/core/resource-quota/usage.ts';
import type { UsageEvaluator } from '../../../kinds/core/resource-quota/usage-evaluator.ts';
import { sleep } from '../../../platform/process/clock.ts';
import { listPages } from '../../list-all.ts';
import { awaitRetry } from '../quota-status.ts';
import type { DeletedObjects } from './deleted-objects.ts';
import { type QuotaReading, readLedgerQuota } from './interpret-quota.ts';
import type { SeenClaims } from './seen-claims.ts';
import { swapLedger } from './swap-ledger.ts';

/** A kind that can be counted, and the version to list it by. */
export interface Countable {
  readonly evaluator: UsageEvaluator;
  readonly version: string;
}

/** The kinds that can be counted at the moment. */
export interface CountableSource {
  listCountable(): readonly Countable[];
}

/** What counting needs. */
export interface RecountServices extends QuotaReading {
  readonly evaluators: CountableSource;
  readonly seen: SeenClaims;
  readonly deleted: DeletedObjects;
  /** Milliseconds of a clock that never jumps, from any start. */
  readonly monotonicMillis: () => number;
  /** Whether this process is still the one that counts; asked before every write. */
  readonly isLeading: () => boolean;
}

/** What became of a count. */
export interface RecountResult {
  /** When the next claim can be closed at the latest, from now; absent when none is open. */
  readonly againAfterMillis?: number;
  readonly isChanged: boolean;
}

interface Count {
  readonly begunMillis: number;
  readonly usage: Usage;
  readonly observed: ReadonlyMap<string, ObservedObject>;
  /** Resources whose objects could not be listed, and the first reason. */
  readonly unlisted: ReadonlySet<string>;
  readonly failure?: unknown;
}

/** Adds what the objects of one kind use to `observed`; resolves to the sum. Throws when they cannot be listed to the end. */
async function countKind(
  services: RecountServices,
  { metadata, spec }: LedgerQuota,
  { evaluator, version }: Countable,
  observed: Map<string, ObservedObject>,
): Promise<Usage> {
  const { client, clock } = services;
  const { namespace = '' } = metadata;
  const names = evaluator.selectResources(Object.keys(spec.hard ?? {}));
  const resource = { group: evaluator.group, version, resource: evaluator.resource };
  let usage = measureObjects(spec, evaluator, [], clock.now());
  let isFirst = true;
  for await (const objects of listPages<KubeObject>(client, { resource, namespace })) {
    // Measuring a page takes milliseconds; other work gets its turn in between.
    if (!isFirst) await sleep(clock, 0);
    isFirst = false;
    const nowMillis = clock.now();
    for (const object of objects) {
      const isInside = matchesScopes(spec, evaluator, object);
      const own = isInside ? maskUsage(evaluator.measure(object, nowMillis), names) : new Map();
      const { uid = '', resourceVersion = '' } = object.metadata;
      observed.set(uid, { usage: own, version: resourceVersion });
      if (isInside) usage = addUsage(usage, own);
    }
  }
  return usage;
}

async function countObjects(services: RecountServices, quota: LedgerQuota): Promise<Count> {
  const begunMillis = services.monotonicMillis();
  const hardNames = Object.keys(quota.spec.hard ?? {});
  const observed = new Map<string, ObservedObject>();
  const unlisted = new Set<string>();
  let failure: unknown;
  let usage: Usage = new Map();
  for (const countable of services.evaluators.listCountable()) {
    const names = countable.evaluator.selectResources(hardNames);
    if (names.length === 0) continue;
    try {
      usage = addUsage(usage, await countKind(services, quota, countable, observed));
    } catch (error) {
      // What can be counted is; a kind that this program may not list must not take the others down with it.
      failure ??= error;
      for (const name of names) unlisted.add(name);
    }
  }
  return { begunMillis, usage, observed, unlisted, failure };
}

type Outcome = RecountResult | 'again';

async function store(services: RecountServices, first: LedgerQuota, count: Count): Promise<Outcome> {
  const { namespace = '', name = '', uid } = first.metadata;
  let quota = first;
  for (let attempt = 1; ; attempt++) {
    const seenMillis = services.seen.note(quota);
    const serial = quota.status?.count?.serial ?? 0;
    // Another count in between may have closed claims whose objects this one has not seen.
    if (serial !== (first.status?.count?.serial ?? 0) || !deepEqual(quota.spec, first.spec)) return 'again';
    const { ledger, isChanged, openKeys } = planClaimRecount({
      ...{ spec: quota.spec, ledger: readLedger(quota), seenMillis },
      ...{ counted: count.usage, observed: count.observed, listBegunMillis: count.begunMillis },
      ...{ deleted: services.deleted, unlisted: count.unlisted, isCounted: isCounted(quota) },
    });
    const dueMillis = Math.min(...openKeys.map((key) => (seenMillis.get(key) ?? 0) + CLAIM_LIFETIME_MILLIS));
    const result: RecountResult = {
      isChanged,
      ...(openKeys.length === 0 ? {} : { againAfterMillis: Math.max(0, dueMillis - services.monotonicMillis()) }),
    };
    if (!isChanged && isCounted(quota)) return result;
    if (!services.isLeading()) return { isChanged: false };
    const mark = { generation: quota.metadata.generation ?? 0, serial: serial + 1 };
    const stored = await swapLedger(services.client, quota, ledger, mark);
    if (stored !== undefined) {
      services.seen.note(stored);
      return result;
    }
    if (attempt > 1) await awaitRetry(services.clock, attempt);
    const current = await readLedgerQuota(services, namespace, name);
    if (current === undefined || current.metadata.uid !== uid) return { isChanged: false };
    quota = current;
  }
}

/**
 * Counts what the objects of a namespace use of a quota on a host, closes the claims of writes that have ended, and stores the status
 * ("ResourceQuota"). Claims that are made meanwhile are kept. Throws when a kind could not be listed, after the others were counted.
 */
export async function recountLedger(
  services: RecountServices,
  namespace: string,
  name: string,
): Promise<RecountResult> {
  for (;;) {
    const quota = await readLedgerQuota(services, namespace, name);
    if (quota === undefined) return { isChanged: false };
    services.seen.note(quota);
    const count = await countObjects(services, quota);
    const outcome = await store(services, quota, count);
    if (outcome === 'again') continue;
    if (count.failure !== undefined) throw count.failure;
    return outcome;
  }
}
