import { type KindRegistry, policyKinds } from '../../kinds/registry.ts';
import type { WebhookRule } from '../registrations/webhook-configuration.ts';
import type { WebhookNeed } from '../registrations/webhook-need.ts';

/** What the host must ask about for objects of own kinds to get their defaults and be checked by all rules. They fail open. */
export function planObjectNeeds(registry: KindRegistry): WebhookNeed[] {
  const own = new Set(policyKinds.map(({ groupTemplate, plural }) => `${groupTemplate}/${plural}`));
  const resources = new Map<string, string[]>();
  for (const { group, aliasGroup, groupTemplate, plural } of registry.kinds) {
    if (!own.has(`${groupTemplate}/${plural}`)) continue;
    const hostGroup = aliasGroup ?? group;
    resources.set(hostGroup, [...(resources.get(hostGroup) ?? []), plural]);
  }
  const rules = [...resources].map(([group, plurals]): WebhookRule => ({
    operations: ['CREATE', 'UPDATE'],
    apiGroups: [group],
    apiVersions: ['v1'],
    resources: plurals.toSorted(),
    scope: '*',
  }));
  const common = {
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    timeoutSeconds: 5,
    rules,
    namespaces: undefined,
    isSparing: true,
  } as const;
  return [
    { ...common, type: 'mutating', name: 'defaults.objects', path: '/mutate/objects' },
    { ...common, type: 'validating', name: 'objects', path: '/validate/objects' },
  ];
}
