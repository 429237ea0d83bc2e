import { FieldPath } from '../../../core/errors/field-path.ts';
import {
  compileLabelSelector,
  type Labels,
  matchesLabelSelector,
  validateLabelSelector,
} from '../../../core/selectors/label-selector.ts';
import type { BudgetPod } from './budget-pod.ts';
import type { PodDisruptionBudget } from './schema.ts';

/** What is known of the selector of a spec, found out when it is asked for the first time. */
interface KnownSelector {
  isValid?: boolean;
  /** From the second pod on: to compile it takes longer than to compare it once. */
  matches?: (labels: Labels) => boolean;
}

/** By spec, which nobody changes: a budget that is charged keeps its own. */
const known = new WeakMap<PodDisruptionBudget['spec'], KnownSelector>();

function compareNames(left: PodDisruptionBudget, right: PodDisruptionBudget): number {
  const [a = '', b = ''] = [left.metadata.name, right.metadata.name];
  return a < b ? -1 : Number(a > b);
}

/** Whether a pod belongs to a budget of its namespace; one whose selector is no valid one selects nothing. */
export function isSelectedBy(pod: BudgetPod, { metadata, spec }: PodDisruptionBudget): boolean {
  const { namespace, labels } = pod.metadata;
  if (metadata.namespace !== namespace) return false;
  let selector = known.get(spec);
  if (selector === undefined) {
    selector = {};
    known.set(spec, selector);
    if (!matchesLabelSelector(spec.selector, labels)) return false;
  } else {
    selector.matches ??= compileLabelSelector(spec.selector);
    if (!selector.matches(labels)) return false;
  }
  selector.isValid ??= validateLabelSelector(spec.selector, FieldPath.empty).length === 0;
  return selector.isValid;
}

/** The budgets that a pod belongs to, in order of their names. */
export function selectBudgets(budgets: readonly PodDisruptionBudget[], pod: BudgetPod): PodDisruptionBudget[] {
  return budgets.filter((budget) => isSelectedBy(pod, budget)).toSorted(compareNames);
}
