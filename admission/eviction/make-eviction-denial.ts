import { makeForbiddenError } from '../../core/errors/make-status-error.ts';
import { StatusError, type StatusCause } from '../../core/errors/status.ts';
import type { BudgetRefusal } from '../../kinds/policy/pod-disruption-budget/plan-eviction.ts';

const violation = "Cannot evict pod as it would violate the pod's disruption budget.";
/** How clients know that a budget stands in the way. */
const budgetCause = 'DisruptionBudget';

function makeCauses(refusals: readonly BudgetRefusal[]): StatusCause[] {
  return refusals.map(({ message }) => ({ reason: budgetCause, message }));
}

/** Budgets that are out of order forbid; the message then does not say which, so that several are told apart by their names. */
function isOutOfOrder({ reason }: BudgetRefusal): boolean {
  return reason === 'Negative' || reason === 'TooManyPending';
}

function nameBudget(refusal: BudgetRefusal): BudgetRefusal {
  return isOutOfOrder(refusal)
    ? { ...refusal, message: `The disruption budget ${refusal.budgetName} is out of order: ${refusal.message}` }
    : refusal;
}

/**
 * The answer to an eviction that budgets refuse (at least one): 429 with a cause for each; 403 where the first is out of order. Asking again after a
 * while is only advised when it is all that helps, since clients do it without telling anybody.
 */
export function makeEvictionDenial(refusals: readonly BudgetRefusal[]): StatusError {
  const [first] = refusals;
  if (first === undefined) throw new Error('nobody refuses this eviction');
  const causes = makeCauses(refusals.map(nameBudget));
  if (isOutOfOrder(first)) {
    const denial = makeForbiddenError('policy', 'poddisruptionbudget', first.budgetName, first.message);
    if (refusals.length === 1) return denial;
    return new StatusError({ ...denial.status, details: { ...denial.status.details, causes } });
  }
  const waits = refusals.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 0);
  const retryAfterSeconds = Math.min(...waits);
  return new StatusError({
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    ...{ message: violation, reason: 'TooManyRequests' },
    details: { causes, ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }) },
    code: 429,
  });
}
