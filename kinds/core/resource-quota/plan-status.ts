import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { compareQuantities, quantityFromInteger, subtractQuantities } from '../../../core/quantity/quantity.ts';
import { matchesScopes } from './match-quota.ts';
import type { ResourceQuota, ResourceQuotaSpec } from './schema.ts';
import { addUsage, equalUsage, maskUsage, readUsage, type Usage } from './usage.ts';
import type { UsageEvaluator } from './usage-evaluator.ts';

const ZERO = quantityFromInteger(0);

/** What some objects of one kind use of a quota together; zero for each of the quota's resources that none uses. */
export function measureObjects(
  spec: ResourceQuotaSpec,
  evaluator: UsageEvaluator,
  objects: Iterable<KubeObject>,
  nowMillis: number,
): Usage {
  const names = evaluator.selectResources(Object.keys(spec.hard ?? {}));
  let sum: Usage = new Map(names.map((name) => [name, ZERO]));
  for (const object of objects) {
    if (!matchesScopes(spec, evaluator, object)) continue;
    sum = addUsage(sum, maskUsage(evaluator.measure(object, nowMillis), names));
  }
  return sum;
}

/** Whether a quota's status does not answer its spec yet, so that nothing can be charged to it. */
export function isStatusStale(quota: ResourceQuota, evaluators: readonly UsageEvaluator[]): boolean {
  const hard = readUsage(quota.spec.hard);
  if (!equalUsage(hard, readUsage(quota.status?.hard))) return true;
  const used = quota.status?.used ?? {};
  return evaluators.some((evaluator) =>
    evaluator.selectResources(hard.keys()).some((name) => !Object.hasOwn(used, name)),
  );
}

/** The status that a quota should have. */
export interface StatusDecision {
  readonly hard: Usage;
  readonly used: Usage;
  /** Whether it differs from the one that it has. */
  readonly isChanged: boolean;
}

/** Decides a quota's status from what was counted; resources that nothing counts keep their last amount. */
export function planStatus(quota: ResourceQuota, counted: Usage): StatusDecision {
  const hard = readUsage(quota.spec.hard);
  const usedBefore = readUsage(quota.status?.used);
  const used = maskUsage(new Map([...usedBefore, ...counted]), hard.keys());
  const isChanged =
    quota.status?.hard === undefined ||
    quota.status.used === undefined ||
    !equalUsage(hard, readUsage(quota.status.hard)) ||
    !equalUsage(used, usedBefore);
  return { hard, used, isChanged };
}

/** Takes a charge back from what is used: never below zero, and only from resources that are there. */
export function planRefund(used: Usage, charge: Usage): Usage {
  return new Map(
    [...used].map(([name, amount]) => {
      const charged = charge.get(name) ?? ZERO;
      return [name, compareQuantities(charged, amount) >= 0 ? ZERO : subtractQuantities(amount, charged)];
    }),
  );
}
