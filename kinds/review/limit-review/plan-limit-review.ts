import { aggregateMessages } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { planClaimBounds, planPodBounds } from '../../core/limit-range/plan-bounds.ts';
import { planPodDefaults } from '../../core/limit-range/plan-defaults.ts';
import type { LimitRange } from '../../core/limit-range/schema.ts';
import type { LimitReviewStatus } from './schema.ts';

/** What limit ranges look at: a pod, or a claim of storage. */
export type LimitedSort = 'claim' | 'pod';

/** What limit ranges fill into an object that is not yet defaulted by them, in the order in which they do. */
export function planReviewedDefaults(
  ranges: readonly LimitRange[],
  sort: LimitedSort,
  object: KubeObject,
): NonNullable<LimitReviewStatus['defaulted']> {
  if (sort === 'claim') return [];
  return planPodDefaults(ranges, object).filled.map(({ range, list, index, side, resource, amount }) => ({
    path: `spec.${list}[${index}].resources.${side}[${resource}]`,
    value: amount,
    limitRange: range,
  }));
}

/** Which bounds a defaulted object breaks: the same decision that refuses it. The reason is that of the first range that refuses. */
export function planLimitReview(
  ranges: readonly LimitRange[],
  sort: LimitedSort,
  object: KubeObject,
): Required<Pick<LimitReviewStatus, 'allowed' | 'violations'>> & Pick<LimitReviewStatus, 'reason'> {
  const faults = ranges.map((range) => ({
    range: range.metadata.name ?? '',
    faults: sort === 'claim' ? planClaimBounds(range, object) : planPodBounds(range, object),
  }));
  const refusing = faults.find((one) => one.faults.length > 0);
  return {
    allowed: refusing === undefined,
    ...(refusing === undefined ? {} : { reason: aggregateMessages(refusing.faults.map(({ message }) => message)) }),
    violations: faults.flatMap(({ range, faults: found }) =>
      found.map(({ type, subject, resource, message, remedy }) => ({
        limitRange: range,
        item: type,
        ...(subject === undefined ? {} : { subject }),
        resource,
        message,
        remedy,
      })),
    ),
  };
}
