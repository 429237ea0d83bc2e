import { makeConflictError } from '../../core/errors/make-status-error.ts';
import { isStatusStale, planRefund } from '../../kinds/core/resource-quota/plan-status.ts';
import { planCharge, type QuotaState } from '../../kinds/core/resource-quota/plan-charge.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import { addUsage, readUsage, type Usage } from '../../kinds/core/resource-quota/usage.ts';
import type { QuotaRequest, UsageEvaluator } from '../../kinds/core/resource-quota/usage-evaluator.ts';
import { listAll } from '../list-all.ts';
import type { OpenWrite } from './quota-ledger.ts';
import { awaitRetry, readQuota, resourceQuotas, swapStatus } from './quota-status.ts';
import { type QuotaServices, recountQuota } from './recount-quota.ts';

/** A write that asks to be charged. */
export interface ChargeRequest {
  readonly evaluator: UsageEvaluator;
  readonly request: QuotaRequest;
  readonly dryRun: boolean;
}

/** Why the write is refused, in Kubernetes' wording; or the write, open in the ledger (absent for a dry run). */
export type ChargeResult = { readonly refusal: string } | { readonly refusal?: undefined; readonly write?: OpenWrite };

/** After so many other writers of a quota in a row the client hears of it. */
const MAX_ATTEMPTS = 100;
const MODIFIED_MESSAGE = 'the object has been modified; please apply your changes to the latest version and try again';

interface Standing {
  readonly quota: ResourceQuota;
  readonly state: QuotaState;
}

function readState(quota: ResourceQuota): QuotaState {
  const { name = '' } = quota.metadata;
  return { name, spec: quota.spec, hard: readUsage(quota.status?.hard), used: readUsage(quota.status?.used) };
}

function listCountable(services: QuotaServices, evaluators: readonly UsageEvaluator[]): UsageEvaluator[] {
  const known = new Set(services.evaluators.listCountable().map(({ evaluator }) => evaluator));
  return evaluators.filter((evaluator) => known.has(evaluator));
}

/** The quotas of a namespace; those that concern the requests are counted first when their status does not answer their spec yet. */
async function readStandings(
  services: QuotaServices,
  namespace: string,
  requests: readonly ChargeRequest[],
): Promise<Standing[]> {
  const evaluators = [...new Set(requests.map(({ evaluator }) => evaluator))];
  let countable: UsageEvaluator[] | undefined;
  for (let attempt = 1; ; attempt++) {
    const quotas = await listAll<ResourceQuota>(services.client, { resource: resourceQuotas, namespace });
    if (quotas.length === 0) return [];
    const counted = (countable ??= listCountable(services, evaluators));
    const stale = quotas.filter(
      (quota) =>
        isStatusStale(quota, counted) &&
        evaluators.some((evaluator) => {
          const names = [...Object.keys(quota.spec.hard ?? {}), ...Object.keys(quota.status?.hard ?? {})];
          return evaluator.selectResources(names).length > 0;
        }),
    );
    if (stale.length === 0 || attempt === MAX_ATTEMPTS)
      return quotas.map((quota) => ({ quota, state: readState(quota) }));
    for (const { metadata } of stale) await recountQuota(services, namespace, metadata.name ?? '', true);
  }
}

interface Plan {
  readonly results: readonly ChargeResult[];
  /** Quotas to change, with their used amounts afterwards and what of these is new. */
  readonly changes: readonly { readonly quota: ResourceQuota; readonly used: Usage; readonly added: Usage }[];
}

/** Decides about all requests in turn, each on top of what the ones before it take. */
function planAll(
  services: QuotaServices,
  namespace: string,
  standings: readonly Standing[],
  requests: readonly ChargeRequest[],
): Plan {
  const nowMillis = services.clock.now();
  const states = new Map(standings.map(({ state }) => [state.name, state]));
  const uids = new Map(standings.map(({ quota, state }) => [state.name, quota.metadata.uid ?? '']));
  const added = new Map<string, Usage>();
  const results = requests.map(({ evaluator, request, dryRun }): ChargeResult => {
    const decision = planCharge([...states.values()], evaluator, request, nowMillis);
    if (decision.refusal !== undefined) return { refusal: decision.refusal };
    if (dryRun) return {};
    const charges = new Map<string, Usage>();
    for (const [name, charge] of decision.charges) {
      const state = states.get(name);
      if (state === undefined) continue;
      states.set(name, { ...state, used: addUsage(state.used, charge) });
      added.set(name, addUsage(added.get(name) ?? new Map(), charge));
      charges.set(uids.get(name) ?? '', charge);
    }
    return { write: { namespace, evaluator, request, charges } };
  });
  const changes = standings.flatMap(({ quota, state }) => {
    const addition = added.get(state.name);
    const used = states.get(state.name)?.used;
    return addition === undefined || used === undefined ? [] : [{ quota, used, added: addition }];
  });
  return { results, changes };
}

async function refund(services: QuotaServices, quota: { name: string; uid: string }, namespace: string, charge: Usage) {
  for (let attempt = 1; ; attempt++) {
    const current = await readQuota(services.client, namespace, quota.name);
    if (current === undefined || current.metadata.uid !== quota.uid) return;
    const used = planRefund(readUsage(current.status?.used), charge);
    if (await swapStatus(services.client, current, { hard: readUsage(current.status?.hard), used })) return;
    await awaitRetry(services.clock, attempt);
  }
}

/**
 * Charges requests of one namespace together, one compare-and-swap a quota. When any quota has changed meanwhile, what was charged to
 * others is taken back, and everything is decided anew. To be called exclusively (QuotaLedger.runExclusively); results are in order.
 */
export async function chargeWrites(
  services: QuotaServices,
  namespace: string,
  requests: readonly ChargeRequest[],
): Promise<readonly ChargeResult[]> {
  for (let attempt = 1; ; attempt++) {
    const standings = await readStandings(services, namespace, requests);
    const { results, changes } = planAll(services, namespace, standings, requests);
    const done: (typeof changes)[number][] = [];
    let isOutrun = false;
    try {
      for (const change of changes) {
        const hard = readUsage(change.quota.status?.hard);
        isOutrun = !(await swapStatus(services.client, change.quota, { hard, used: change.used }));
        if (isOutrun) break;
        done.push(change);
      }
    } catch (error) {
      await refundAll(services, namespace, done);
      throw error;
    }
    if (!isOutrun) {
      for (const { write } of results as { write?: OpenWrite }[]) if (write !== undefined) services.ledger.open(write);
      return results;
    }
    await refundAll(services, namespace, done);
    if (attempt === MAX_ATTEMPTS) {
      const name = changes[done.length]?.quota.metadata.name ?? '';
      throw makeConflictError(resourceQuotas.group, resourceQuotas.resource, name, MODIFIED_MESSAGE);
    }
    await awaitRetry(services.clock, attempt);
  }
}

async function refundAll(
  services: QuotaServices,
  namespace: string,
  changes: readonly { readonly quota: ResourceQuota; readonly added: Usage }[],
): Promise<void> {
  for (const { quota, added } of changes) {
    const { name = '', uid = '' } = quota.metadata;
    await refund(services, { name, uid }, namespace, added);
  }
}

/** Takes back what a failed write was charged, and closes it. Waits for its turn in the namespace. */
export async function undoWrite(services: QuotaServices, write: OpenWrite): Promise<void> {
  await services.ledger.runExclusively(write.namespace, async () => {
    try {
      if (write.charges.size === 0) return;
      const quotas = await listAll<ResourceQuota>(services.client, {
        resource: resourceQuotas,
        namespace: write.namespace,
      });
      for (const { metadata } of quotas) {
        const charge = write.charges.get(metadata.uid ?? '');
        if (charge === undefined) continue;
        await refund(services, { name: metadata.name ?? '', uid: metadata.uid ?? '' }, write.namespace, charge);
      }
    } finally {
      services.ledger.drop(write);
    }
  });
}
