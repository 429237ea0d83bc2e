import type { LimitRange, LimitRangeItem } from '../../kinds/core/limit-range/schema.ts';
import type { WebhookRule } from '../registrations/webhook-configuration.ts';
import type { WebhookNeed } from '../registrations/webhook-need.ts';

const podRules: readonly WebhookRule[] = [
  { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: 'Namespaced' },
  { operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/resize'], scope: 'Namespaced' },
];
const claimRules: readonly WebhookRule[] = [
  {
    operations: ['CREATE', 'UPDATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['persistentvolumeclaims'],
    scope: 'Namespaced',
  },
];

function boundsPods({ type }: LimitRangeItem): boolean {
  return type === 'Container' || type === 'Pod';
}

function boundsClaims({ type }: LimitRangeItem): boolean {
  return type === 'PersistentVolumeClaim';
}

function fillsPods({ type, default: limits, defaultRequest }: LimitRangeItem): boolean {
  return type === 'Container' && Object.keys({ ...limits, ...defaultRequest }).length > 0;
}

function findNamespaces(ranges: readonly LimitRange[], concerns: (item: LimitRangeItem) => boolean): Set<string> {
  const concerned = ranges.filter(({ spec }) => spec.limits?.some(concerns) === true);
  return new Set(concerned.map(({ metadata }) => metadata.namespace ?? ''));
}

/** What the host must ask about for these limit ranges, which have their defaults, to be kept. */
export function planLimitNeeds(ranges: readonly LimitRange[]): WebhookNeed[] {
  const filled = findNamespaces(ranges, fillsPods);
  const [pods, claims] = [findNamespaces(ranges, boundsPods), findNamespaces(ranges, boundsClaims)];
  const common = { failurePolicy: 'Fail', sideEffects: 'None', timeoutSeconds: 10 } as const;
  const needs: WebhookNeed[] = [];
  if (filled.size > 0) {
    needs.push({
      ...common,
      type: 'mutating',
      name: 'defaults.limits',
      path: '/mutate/limits',
      rules: podRules,
      namespaces: filled,
      isReinvoked: true,
    });
  }
  if (pods.size + claims.size > 0) {
    needs.push({
      ...common,
      type: 'validating',
      name: 'limits',
      path: '/validate/limits',
      rules: [...(pods.size > 0 ? podRules : []), ...(claims.size > 0 ? claimRules : [])],
      namespaces: pods.union(claims),
    });
  }
  return needs;
}
