import type { LabelSelector } from '../../../core/selectors/label-selector.ts';

/** Longer choices of values are found by their label alone: a hook each would cost far more than the selector itself. */
const maxHookedValues = 100;

/** Hooks of a pod's label: for those who want the value, and for those who want the label. */
export function listLabelHooks(label: string, value: string): readonly string[] {
  return [`${label}=${value}`, label];
}

/** Labels of which a pod must have one to be selected, as few as there are; `undefined` when a pod may be selected without any. */
export function listSelectorHooks(selector: LabelSelector | undefined): readonly string[] | undefined {
  if (selector === undefined) return [];
  for (const [label, value] of Object.entries(selector.matchLabels ?? {})) return [`${label}=${value}`];
  let best: { readonly label: string; readonly values: readonly string[] | undefined } | undefined;
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (operator !== 'In' && operator !== 'Exists') continue;
    const isHooked = operator === 'In' && values.length <= maxHookedValues;
    if (best === undefined || (isHooked && values.length < (best.values?.length ?? Number.POSITIVE_INFINITY))) {
      best = { label: key, values: isHooked ? values : undefined };
    }
  }
  if (best === undefined) return undefined;
  const { label, values } = best;
  return values === undefined ? [label] : [...new Set(values)].map((value) => `${label}=${value}`);
}
