import { getPercent, scaleIntOrPercent } from '../../../core/quantity/int-or-string.ts';
import type { PodDisruptionBudget } from './schema.ts';

/** Why a budget can never allow the eviction of a healthy pod. */
export interface ImpossibleBudget {
  /** `static`: whatever the number of pods; `scale`: while their controllers want as many pods as now. */
  readonly kind: 'static' | 'scale';
  /** A sentence for people, such as for a `Warning` header or an Event. */
  readonly message: string;
}

const consequence = 'no eviction of a healthy pod can ever be allowed, so nodes with such pods cannot be drained';

/**
 * Judges whether a budget can ever allow an eviction, of its spec and how many pods the controllers of its pods want (`undefined`: not
 * known, or some have none). `undefined` when it can, or nobody can tell.
 */
export function judgeImpossibleBudget(
  { maxUnavailable, minAvailable }: PodDisruptionBudget['spec'],
  replicas: number | undefined,
): ImpossibleBudget | undefined {
  if (maxUnavailable !== undefined && maxUnavailable !== null) {
    if (maxUnavailable !== 0 && getPercent(maxUnavailable) !== 0) return undefined;
    return { kind: 'static', message: `maxUnavailable is ${maxUnavailable}: ${consequence}` };
  }
  if (minAvailable === undefined || minAvailable === null) return undefined;
  if (typeof minAvailable === 'string' && (getPercent(minAvailable) ?? 0) >= 100) {
    return { kind: 'static', message: `minAvailable is ${minAvailable}: ${consequence}` };
  }
  if (replicas === undefined || replicas <= 0) return undefined;
  const kept = scaleIntOrPercent(minAvailable, replicas, true);
  if (kept === undefined || kept < replicas) return undefined;
  const share =
    typeof minAvailable === 'string'
      ? `minAvailable is ${minAvailable}, which is ${kept} pods`
      : `minAvailable is ${kept}`;
  const pods = replicas === 1 ? '1 replica' : `${replicas} replicas`;
  return { kind: 'scale', message: `${share}, and the controllers of the selected pods want ${pods}: ${consequence}` };
}
