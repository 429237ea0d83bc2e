import { deepEqual } from '../../core/meta/deep.ts';
import type { SelectorRequirement, WebhookEntry } from './webhook-configuration.ts';

/** Whether everything that has the wanted labels has the present ones. */
function isNarrower(present: SelectorRequirement, wanted: SelectorRequirement): boolean {
  if (deepEqual(present, wanted)) return true;
  if (present.key !== wanted.key || present.operator !== wanted.operator) return false;
  const [before, now] = [present, wanted].map(({ values = [] }) => new Set(values)) as [Set<string>, Set<string>];
  return wanted.operator === 'In' ? now.isSubsetOf(before) : wanted.operator === 'NotIn' && before.isSubsetOf(now);
}

function coversEntry(present: WebhookEntry | undefined, wanted: WebhookEntry): boolean {
  if (present === undefined) return false;
  const [before, now] = [present, wanted].map(({ namespaceSelector }) => namespaceSelector.matchExpressions) as [
    readonly SelectorRequirement[],
    readonly SelectorRequirement[],
  ];
  return (
    before.length === now.length &&
    now.every((requirement, i) => isNarrower(before[i] ?? requirement, requirement)) &&
    // A host leaves out what is empty.
    deepEqual(present.objectSelector ?? {}, wanted.objectSelector) &&
    deepEqual(present.matchConditions ?? [], wanted.matchConditions) &&
    deepEqual(present.rules, wanted.rules)
  );
}

/** Whether any wanted entry asks about something that the present ones do not ask about for certain; where and by whom it is answered does not count. */
export function asksMore(present: readonly WebhookEntry[], wanted: readonly WebhookEntry[]): boolean {
  return wanted.some(
    (entry) =>
      !coversEntry(
        present.find(({ name }) => name === entry.name),
        entry,
      ),
  );
}
