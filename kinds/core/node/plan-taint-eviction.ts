import type { Taint } from './node-object.ts';
import { toleratesTaint, type Toleration } from './tolerations.ts';

/** Since when each taint has driven a pod off, by what the taint is of, in milliseconds. */
export type TaintTimes = ReadonlyMap<string, number>;

/** What becomes of a pod on a node. */
export interface TaintEvictionPlan {
  /** When it must go, in milliseconds; `undefined`: it stays. */
  readonly atMillis: number | undefined;
  /** The taint that decides; `undefined` when it stays. */
  readonly taint: Taint | undefined;
  /** To be remembered until the next look. */
  readonly since: TaintTimes;
}

/** A node that is not ready and one that is out of reach are one trouble, of which the taints take turns. */
function nameTrouble({ key, value = '' }: Taint, prefix: string): string {
  const isHealth = key === `${prefix}/not-ready` || key === `${prefix}/unreachable`;
  return isHealth ? prefix : `${key}=${value}`;
}

/**
 * Decides when a pod must leave its node for the node's `NoExecute` taints: at once for one that it does not tolerate, else when the first
 * of the times that it tolerates one has passed since the taint came. `since` is what the look before returned, empty at first.
 */
export function planTaintEviction(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
  since: TaintTimes,
  nowMillis: number,
  prefix: string,
): TaintEvictionPlan {
  const times = new Map<string, number>();
  let first: { atMillis: number; taint: Taint } | undefined;
  for (const taint of taints) {
    if (taint.effect !== 'NoExecute') continue;
    const trouble = nameTrouble(taint, prefix);
    const fromMillis = since.get(trouble) ?? nowMillis;
    times.set(trouble, fromMillis);
    const toleration = tolerations.find((candidate) => toleratesTaint(candidate, taint, prefix));
    if (toleration !== undefined && (toleration.tolerationSeconds ?? null) === null) continue;
    const seconds = toleration === undefined ? 0 : Number(toleration.tolerationSeconds);
    const atMillis = toleration === undefined || seconds <= 0 ? nowMillis : fromMillis + seconds * 1_000;
    if (first === undefined || atMillis < first.atMillis) first = { atMillis, taint };
  }
  return { atMillis: first?.atMillis, taint: first?.taint, since: times };
}
