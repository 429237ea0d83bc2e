import type { OwnerReference } from '../../core/meta/kube-object.ts';
import {
  countExpectedPods,
  sumControllerScales,
  type ExpectedPodsAnswer,
  type ScaleAnswer,
} from '../../kinds/policy/pod-disruption-budget/count-expected-pods.ts';
import type { BudgetPod } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { EventLoopYield } from '../process/event-loop-yield.ts';
import { findControllerScale, type ScaleSource } from './find-controller-scale.ts';

/** A count that needs nothing more. */
export type GatheredExpectedPods = Exclude<ExpectedPodsAnswer, Needs>;

interface Needs {
  readonly needs: readonly OwnerReference[];
}

function isNeeding(answer: object): answer is Needs {
  return 'needs' in answer;
}

/** Asks `count` again and again with the scales that it needs; the first controller that cannot be counted ends it. */
async function gather<T extends object>(
  source: ScaleSource,
  namespace: string,
  known: Map<string, ScaleAnswer>,
  count: () => T,
): Promise<Exclude<T, Needs>> {
  const slices = new EventLoopYield();
  for (;;) {
    const answer = count();
    if (!isNeeding(answer)) return answer as Exclude<T, Needs>;
    for (const reference of answer.needs) {
      if (slices.isDue()) await slices.pause();
      const scale = await findControllerScale(source, reference, namespace);
      known.set(reference.uid, scale);
      if (scale === 'absent' || 'fault' in scale) break;
    }
  }
}

/** How many pods a budget expects, with the scales of the controllers of its pods read from `source`. Throws what reading throws. */
export function gatherExpectedPods(
  source: ScaleSource,
  budget: Pick<PodDisruptionBudget, 'metadata' | 'spec'>,
  pods: readonly BudgetPod[],
  known: Map<string, ScaleAnswer> = new Map(),
): Promise<GatheredExpectedPods> {
  const { namespace = '' } = budget.metadata;
  return gather(source, namespace, known, () => countExpectedPods(budget.spec ?? {}, pods, known));
}

/**
 * How many replicas the controllers of these pods of one namespace want in sum; `undefined` where a pod has none, or one that has no scale.
 * Throws what reading throws.
 */
export async function gatherReplicas(
  source: ScaleSource,
  namespace: string,
  pods: readonly BudgetPod[],
  known: Map<string, ScaleAnswer> = new Map(),
): Promise<number | undefined> {
  const sum = await gather(source, namespace, known, () => sumControllerScales(pods, known));
  return 'scale' in sum && sum.scale.unmanagedPods.length === 0 ? sum.scale.replicas : undefined;
}
