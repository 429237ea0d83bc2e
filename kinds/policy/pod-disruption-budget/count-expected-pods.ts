import type { OwnerReference } from '../../../core/meta/kube-object.ts';
import { type IntOrString, scaleIntOrPercent } from '../../../core/quantity/int-or-string.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import { type BudgetPod, findControllerReference } from './budget-pod.ts';
import type { PodDisruptionBudget } from './schema.ts';

/** How many pods a controller wants. A ReplicaSet of a Deployment is answered with the uid and the replicas of the Deployment. */
export interface ControllerScale {
  readonly uid: string;
  readonly replicas: number;
}

/** What is known of the controller that a pod refers to: its scale, that there is none by that name and uid, or why it cannot be told. */
export type ScaleAnswer = ControllerScale | 'absent' | { readonly fault: string };

/** How many pods a budget counts with. */
export interface ExpectedPods {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  /** Names of pods without a controller, where the count needs one. */
  readonly unmanagedPods: readonly string[];
}

/** A count; or the controllers whose scale it needs first; or why there is none. */
export type ExpectedPodsAnswer =
  { readonly counted: ExpectedPods } | { readonly needs: readonly OwnerReference[] } | { readonly fault: string };

/** Answers by the uid of the reference that was asked for. */
export type KnownScales = ReadonlyMap<string, ScaleAnswer>;

/** The sum of what the controllers of pods want, each counted once, and the pods that have none. */
export interface ExpectedScale {
  readonly replicas: number;
  readonly unmanagedPods: readonly string[];
}

/** Adds up the scales of the controllers of pods; asks for those that are not known, all at once. */
export function sumControllerScales(
  pods: readonly BudgetPod[],
  known: KnownScales,
): { readonly scale: ExpectedScale } | { readonly needs: readonly OwnerReference[] } | { readonly fault: string } {
  const replicasByUid = new Map<string, number>();
  const needs = new Map<string, OwnerReference>();
  const unmanagedPods: string[] = [];
  for (const pod of pods) {
    const { name = '' } = pod.metadata;
    const reference = findControllerReference(pod);
    if (reference === undefined) {
      unmanagedPods.push(name);
      continue;
    }
    const answer = known.get(reference.uid);
    if (answer === undefined) needs.set(reference.uid, reference);
    else if (answer === 'absent') return { fault: `found no controllers for pod ${quoteGo(name)}` };
    else if ('fault' in answer) return answer;
    else replicasByUid.set(answer.uid, answer.replicas);
  }
  if (needs.size > 0) return { needs: [...needs.values()] };
  let replicas = 0;
  for (const count of replicasByUid.values()) replicas += count;
  return { scale: { replicas, unmanagedPods } };
}

/** What a status can hold; pods beyond that are not there, so that nothing may be disrupted. */
const maxCount = 2 ** 31 - 1;

function scaleShare(
  share: IntOrString,
  pods: readonly BudgetPod[],
  known: KnownScales,
  toDesired: (replicas: number, share: number) => number,
): ExpectedPodsAnswer {
  const sum = sumControllerScales(pods, known);
  if (!('scale' in sum)) return sum;
  const { replicas, unmanagedPods } = sum.scale;
  const amount = scaleIntOrPercent(share, replicas, true);
  if (amount === undefined) {
    return { fault: 'invalid value for IntOrString: invalid type: string is not a percentage' };
  }
  const desiredHealthy = Math.min(maxCount, toDesired(replicas, amount));
  return { counted: { expectedPods: Math.min(maxCount, replicas), desiredHealthy, unmanagedPods } };
}

/**
 * How many pods a budget expects and how many of them must be healthy: a number of pods to keep counts the pods that are there; a percentage,
 * and a number that may be missing, count what their controllers want.
 */
export function countExpectedPods(
  { maxUnavailable, minAvailable }: PodDisruptionBudget['spec'],
  pods: readonly BudgetPod[],
  known: KnownScales,
): ExpectedPodsAnswer {
  if (maxUnavailable !== undefined && maxUnavailable !== null) {
    return scaleShare(maxUnavailable, pods, known, (replicas, missing) => Math.max(0, replicas - missing));
  }
  if (typeof minAvailable === 'number') {
    return { counted: { expectedPods: pods.length, desiredHealthy: minAvailable, unmanagedPods: [] } };
  }
  if (typeof minAvailable === 'string') {
    return scaleShare(minAvailable, pods, known, (_replicas, kept) => kept);
  }
  return { counted: { expectedPods: 0, desiredHealthy: 0, unmanagedPods: [] } };
}
