import { formatTime } from '../../../core/time/time.ts';
import type { NamespaceCondition } from './namespace-object.ts';

/** What is left in a terminating namespace. */
export interface NamespaceContent {
  /** Objects that remain, by `resource.group`; kinds with none left do not appear. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Objects that remain, by the finalizer that holds them. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Why objects could not be deleted. */
  readonly faults: readonly string[];
}

type ConditionText = readonly [reason: string, message: string];

/** Condition types in the order in which they are written, with what they say when all is well. */
const conditionTypes: readonly (readonly [type: string, ...ConditionText])[] = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  [
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
];

function listCounts(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .toSorted()
    .join(', ');
}

function describeTrouble(content: NamespaceContent): Map<string, ConditionText> {
  const trouble = new Map<string, ConditionText>();
  const { remaining, finalizers, faults } = content;
  if (faults.length > 0) {
    trouble.set('NamespaceDeletionContentFailure', [
      'ContentDeletionFailed',
      `Failed to delete all resource types, ${faults.length} remaining: ${faults.toSorted().join(', ')}`,
    ]);
  }
  if (remaining.size > 0) {
    trouble.set('NamespaceContentRemaining', [
      'SomeResourcesRemain',
      `Some resources are remaining: ${listCounts(remaining, 'has')}`,
    ]);
  }
  if (finalizers.size > 0) {
    trouble.set('NamespaceFinalizersRemaining', [
      'SomeFinalizersRemain',
      `Some content in the namespace has finalizers remaining: ${listCounts(finalizers, 'in')}`,
    ]);
  }
  return trouble;
}

/** The conditions that a terminating namespace must have; `undefined` when it has them already. Foreign conditions stay. */
export function planNamespaceConditions(
  conditions: readonly NamespaceCondition[],
  content: NamespaceContent,
  nowMillis: number,
): NamespaceCondition[] | undefined {
  const trouble = describeTrouble(content);
  const wanted = conditions.map((condition) => ({ ...condition }));
  let changed = false;
  for (const [type, okReason, okMessage] of conditionTypes) {
    const [reason, message] = trouble.get(type) ?? [okReason, okMessage];
    const status = trouble.has(type) ? 'True' : 'False';
    const known = wanted.find((condition) => condition.type === type);
    if (known === undefined) {
      wanted.push({ type, status, lastTransitionTime: formatTime(nowMillis), reason, message });
      changed = true;
    } else if (known.status !== status || known.reason !== reason || known.message !== message) {
      if (known.status !== status) known.lastTransitionTime = formatTime(nowMillis);
      Object.assign(known, { status, reason, message });
      changed = true;
    }
  }
  return changed ? wanted : undefined;
}
