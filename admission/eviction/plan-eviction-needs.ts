import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import type { WebhookNeed } from '../registrations/webhook-need.ts';

/** What the host must ask about for these budgets to be kept: evictions, where there are any budgets that select pods. */
export function planEvictionNeeds(budgets: readonly PodDisruptionBudget[]): WebhookNeed[] {
  const selecting = budgets.filter(({ spec }) => spec.selector !== undefined && spec.selector !== null);
  const namespaces = new Set(selecting.map(({ metadata }) => metadata.namespace ?? ''));
  if (namespaces.size === 0) return [];
  return [
    {
      ...{ type: 'validating', name: 'evictions', path: '/validate/evictions', failurePolicy: 'Fail' },
      rules: [
        {
          operations: ['CREATE'],
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['pods/eviction'],
          scope: 'Namespaced',
        },
      ],
      ...{ namespaces, sideEffects: 'NoneOnDryRun', timeoutSeconds: 10, isSparing: true },
    },
  ];
}
