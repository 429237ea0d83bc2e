import type { LabelSelector } from '../../../core/selectors/label-selector.ts';

/** A selector as Go's `%v` prints Kubernetes' type, which some of its messages show. */
export function formatGoSelector(selector: LabelSelector | undefined | null): string {
  if (selector === undefined || selector === null) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, value]) => `${label}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
