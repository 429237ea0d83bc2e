import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported } from '../../../core/errors/make-field-error.ts';
import type { IntOrString } from '../../../core/quantity/int-or-string.ts';
import { getPercent } from '../../../core/quantity/int-or-string.ts';
import { validateLabelSelector } from '../../../core/selectors/label-selector.ts';
import { validateConditions } from '../../../core/validation/condition.ts';
import { checkPercent } from '../../../core/validation/names.ts';
import { deriveSchema } from '../../derive-schema.ts';
import { showGoStruct } from '../../show-go-struct.ts';
import { podDisruptionBudgetSpecSchema } from './schema.ts';
import type { PodDisruptionBudget } from './schema.ts';

const specShape = deriveSchema(podDisruptionBudgetSpecSchema);
const unhealthyPodEvictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];
const NEGATIVE = 'must be greater than or equal to 0';

function validateAmount(amount: IntOrString | undefined, path: FieldPath): FieldError[] {
  if (amount === undefined) return [];
  if (typeof amount === 'number') return amount < 0 ? [makeInvalid(path, amount, NEGATIVE)] : [];
  const faults = checkPercent(amount);
  if (faults.length > 0) return faults.map((fault) => makeInvalid(path, amount, fault));
  return (getPercent(amount) ?? Infinity) > 100 ? [makeInvalid(path, amount, 'must not be greater than 100%')] : [];
}

function validateSpec({ spec }: PodDisruptionBudget, allowInvalidLabelValue: boolean): FieldError[] {
  const path = FieldPath.root('spec');
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(makeInvalid(path, showGoStruct(spec, specShape), 'minAvailable and maxUnavailable cannot be both set'));
  }
  errors.push(
    ...validateAmount(minAvailable, path.child('minAvailable')),
    ...validateAmount(maxUnavailable, path.child('maxUnavailable')),
    ...validateLabelSelector(selector, path.child('selector'), { allowInvalidLabelValue }),
  );
  if (policy !== undefined && !unhealthyPodEvictionPolicies.includes(policy)) {
    errors.push(makeNotSupported(path.child('unhealthyPodEvictionPolicy'), policy, unhealthyPodEvictionPolicies));
  }
  return errors;
}

/** Faults of a new budget ("PodDisruptionBudget"). */
export function validatePodDisruptionBudget(budget: PodDisruptionBudget): FieldError[] {
  return validateSpec(budget, false);
}

/** Faults of a changed budget; invalid label values pass when the stored selector has a fault. Every field may change. */
export function validatePodDisruptionBudgetUpdate(budget: PodDisruptionBudget, old: PodDisruptionBudget): FieldError[] {
  return validateSpec(budget, validateLabelSelector(old.spec.selector, FieldPath.empty).length > 0);
}

/** Faults of a budget's status: its conditions, and counts below zero. */
export function validatePodDisruptionBudgetStatus({ status }: PodDisruptionBudget): FieldError[] {
  const path = FieldPath.root('status');
  const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
  return [
    ...validateConditions(status.conditions, path.child('conditions')),
    ...counts
      .filter((count) => status[count] < 0)
      .map((count) => makeInvalid(path.child(count), status[count], NEGATIVE)),
  ];
}
