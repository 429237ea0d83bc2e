import { hasReason } from '../../core/errors/status.ts';
import { dropCharges } from '../../kinds/policy/pod-disruption-budget/charge-budget.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { budgetResource } from './budget-source.ts';

/** Charges to one budget that are written together. */
export interface BudgetCharges {
  /** As it was read. */
  readonly before: PodDisruptionBudget;
  readonly after: PodDisruptionBudget['status'];
  /** The time noted with each pod that is newly charged; not those whose charge was only renewed. */
  readonly charges: ReadonlyMap<string, string>;
}

/** Charges that are stored, and the budget as it is then. */
export interface StoredCharges extends BudgetCharges {
  readonly stored: PodDisruptionBudget;
}

/** Tries to take charges out of a budget that somebody else writes too. */
const maxUndoAttempts = 20;

/** Stores a status unless the budget has changed since it was read, or is gone: then `undefined`. */
async function swapStatus(
  client: ResourceClient,
  budget: PodDisruptionBudget,
  status: PodDisruptionBudget['status'],
): Promise<PodDisruptionBudget | undefined> {
  const { namespace = '', name = '', resourceVersion } = budget.metadata;
  // Without a version it would be stored over whatever is there.
  if (resourceVersion === undefined) throw new Error('a budget without a resourceVersion cannot be swapped');
  try {
    const reference = { resource: budgetResource, namespace, name };
    return await client.update<PodDisruptionBudget>(reference, { ...budget, status }, {}, 'status');
  } catch (error) {
    if (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Stores the charges to one budget, unless it has changed since it was read, or is gone: then `undefined`. */
export async function storeCharges(client: ResourceClient, charges: BudgetCharges): Promise<StoredCharges | undefined> {
  const stored = await swapStatus(client, charges.before, charges.after);
  return stored === undefined ? undefined : { ...charges, stored };
}

/**
 * Takes charges back whose evictions another budget refused. Where nobody has written the budget since, it is as it was before; else only
 * the pods are taken out that nobody has charged again, and the next count gives back what they took.
 */
export async function undoCharges(
  client: ResourceClient,
  { before, stored, charges }: StoredCharges,
  awaitRetry: (attempt: number) => Promise<void>,
): Promise<void> {
  if ((await swapStatus(client, stored, before.status)) !== undefined) return;
  const { namespace = '', name = '', uid } = before.metadata;
  for (let attempt = 1; attempt <= maxUndoAttempts; attempt++) {
    const current = await getIfPresent<PodDisruptionBudget>(client, { resource: budgetResource, namespace, name });
    if (current === undefined || current.metadata.uid !== uid) return;
    const status = dropCharges(current, charges);
    if (status === undefined || (await swapStatus(client, current, status)) !== undefined) return;
    await awaitRetry(attempt);
  }
  throw new Error(`charges could not be taken out of the budget ${namespace}/${name}, which changes all the time`);
}
