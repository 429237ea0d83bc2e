import type { Taint } from './node-object.ts';

/** Taints are the same that have key and effect in common. */
export function isSameTaint(left: Taint, right: Taint): boolean {
  return left.key === right.key && left.effect === right.effect;
}

/** Whether a taint of this key and effect is among them. */
export function hasTaint(taints: readonly Taint[] | undefined, taint: Taint): boolean {
  return taints?.some((other) => isSameTaint(other, taint)) ?? false;
}

/** The taints with some put in the place of their like, or at the end, and others taken out; `undefined` when that changes nothing. */
export function changeTaints(
  taints: readonly Taint[],
  { add = [], remove = [] }: { readonly add?: readonly Taint[]; readonly remove?: readonly Taint[] },
): Taint[] | undefined {
  const kept = taints.filter((taint) => !hasTaint(remove, taint));
  const added = add.filter((taint, at) => !hasTaint(kept, taint) && !hasTaint(add.slice(0, at), taint));
  const replaced = kept.map((taint) => add.find((other) => isSameTaint(other, taint)) ?? taint);
  const isChanged = kept.length < taints.length || added.length > 0 || replaced.some((taint, at) => taint !== kept[at]);
  return isChanged ? [...replaced, ...added] : undefined;
}
