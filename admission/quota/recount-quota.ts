import { deepEqual } from '../../core/meta/deep.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { planDelta } from '../../kinds/core/resource-quota/plan-charge.ts';
import { measureObjects, planStatus } from '../../kinds/core/resource-quota/plan-status.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import { addUsage, readUsage, type Usage } from '../../kinds/core/resource-quota/usage.ts';
import type { UsageEvaluator } from '../../kinds/core/resource-quota/usage-evaluator.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { listPages } from '../list-all.ts';
import type { LedgerView, OpenWrite, QuotaLedger } from './quota-ledger.ts';
import { awaitRetry, readQuota, swapStatus } from './quota-status.ts';
import type { UsageEvaluators } from './usage-evaluators.ts';

/** What counting and charging share. */
export interface QuotaServices {
  /** Reads all objects and writes the status of quotas. */
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly ledger: QuotaLedger;
  readonly evaluators: UsageEvaluators;
}

/** What a list of one kind's objects said. */
interface Count {
  readonly evaluator: UsageEvaluator;
  readonly usage: Usage;
  /** resourceVersion of each object, by uid. */
  readonly versions: ReadonlyMap<string, string>;
}

async function countObjects(
  services: QuotaServices,
  quota: ResourceQuota,
  evaluator: UsageEvaluator,
  version: string,
): Promise<Count> {
  const versions = new Map<string, string>();
  let usage = measureObjects(quota.spec, evaluator, [], services.clock.now());
  const resource = { group: evaluator.group, version, resource: evaluator.resource };
  const { namespace = '' } = quota.metadata;
  for await (const objects of listPages<KubeObject>(services.client, { resource, namespace })) {
    usage = addUsage(usage, measureObjects(quota.spec, evaluator, objects, services.clock.now()));
    for (const { metadata } of objects) versions.set(metadata.uid ?? '', metadata.resourceVersion ?? '');
    // Measuring a page takes milliseconds; requests get their turn in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { evaluator, usage, versions };
}

/**
 * Whether a list has a write's outcome already: the object it created is there, or the one it changed is there in a later version (then
 * the write is done, or bound to fail). An object that a list lacks may have been created after it.
 */
function isReflected({ request }: OpenWrite, { versions }: Count): boolean {
  const { object, oldObject } = request;
  const listed = versions.get(object.metadata.uid ?? '');
  if (listed === undefined) return false;
  return oldObject === undefined || BigInt(listed) > BigInt(oldObject.metadata.resourceVersion ?? '0');
}

/** What writes under way may add to what was counted, by write; writes that the counts have are left out. */
function chargeOpenWrites(
  services: QuotaServices,
  quota: ResourceQuota,
  counts: readonly Count[],
  view: LedgerView,
): Map<OpenWrite, Usage> {
  const charges = new Map<OpenWrite, Usage>();
  const state = { spec: quota.spec, hard: readUsage(quota.spec.hard) };
  for (const write of view.writes) {
    const count = counts.find(({ evaluator }) => evaluator === write.evaluator);
    if (count === undefined || isReflected(write, count)) continue;
    charges.set(write, planDelta(state, write.evaluator, write.request, services.clock.now()));
  }
  return charges;
}

type Outcome = 'done' | 'respecified' | 'outrun';

async function storeRecount(
  services: QuotaServices,
  counted: ResourceQuota,
  counts: readonly Count[],
  view: LedgerView,
): Promise<Outcome> {
  const { namespace = '', name = '', uid = '' } = counted.metadata;
  const quota = await readQuota(services.client, namespace, name);
  if (quota === undefined || quota.metadata.uid !== uid) return 'done';
  if (!deepEqual(quota.spec, counted.spec)) return 'respecified';
  const charges = chargeOpenWrites(services, quota, counts, view);
  let usage: Usage = new Map();
  for (const count of counts) usage = addUsage(usage, count.usage);
  for (const charge of charges.values()) usage = addUsage(usage, charge);
  const decision = planStatus(quota, usage);
  if (decision.isChanged && !(await swapStatus(services.client, quota, decision))) return 'outrun';
  for (const write of view.writes) {
    const charge = charges.get(write);
    if (charge === undefined) write.charges.delete(uid);
    else write.charges.set(uid, charge);
  }
  return 'done';
}

/**
 * Counts what the objects of a namespace use of a quota, and writes its status ("ResourceQuota"). Nothing that is charged meanwhile is
 * lost: the sum is stored while no charge can be made (`runExclusively`), and holds every write that was open since before the list.
 * `isExclusive`: the caller runs exclusively already.
 */
export async function recountQuota(
  services: QuotaServices,
  namespace: string,
  name: string,
  isExclusive = false,
): Promise<void> {
  for (;;) {
    const view = services.ledger.observe(namespace);
    try {
      const quota = await readQuota(services.client, namespace, name);
      if (quota === undefined) return;
      const names = Object.keys(quota.spec.hard ?? {});
      const counts: Count[] = [];
      for (const { evaluator, version } of services.evaluators.listCountable()) {
        if (evaluator.selectResources(names).length === 0) continue;
        counts.push(await countObjects(services, quota, evaluator, version));
      }
      const store = (): Promise<Outcome> => storeRecount(services, quota, counts, view);
      let outcome = isExclusive ? await store() : await services.ledger.runExclusively(namespace, store);
      for (let attempt = 1; outcome === 'outrun'; attempt++) {
        await awaitRetry(services.clock, attempt);
        outcome = isExclusive ? await store() : await services.ledger.runExclusively(namespace, store);
      }
      if (outcome === 'done') return;
    } finally {
      view.close();
    }
  }
}
