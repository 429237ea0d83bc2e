import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { quantityFromInteger } from '../../../core/quantity/quantity.ts';
import { formatCountName } from '../resource-quota/plan-object-count.ts';
import type { UsageEvaluator } from '../resource-quota/usage-evaluator.ts';

/** A service, as far as quotas look at it. */
export interface ServiceUse extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly ports?: readonly { readonly nodePort?: number }[];
    readonly allocateLoadBalancerNodePorts?: boolean;
  };
}

const COUNT_NAME = formatCountName('', 'services');
const serviceResources: ReadonlySet<string> = new Set([
  COUNT_NAME,
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);

// Node ports may not be allocated yet, so that the intent counts and not the numbers.
function countNodePorts({ spec }: ServiceUse): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return ports.length;
  if (spec?.type !== 'LoadBalancer') return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter((port) => (port.nodePort ?? 0) !== 0).length;
}

/** How services use quota: by number, node ports and load balancers. Scopes never match. */
export const serviceUsageEvaluator: UsageEvaluator<ServiceUse> = {
  group: '',
  resource: 'services',
  handles: ({ subresource }) => subresource === undefined,
  selectResources: (names) => [...new Set(names)].filter((name) => serviceResources.has(name)).toSorted(),
  matchesScope: () => false,
  measure(service) {
    const one = quantityFromInteger(1);
    return new Map([
      [COUNT_NAME, one],
      ['services', one],
      ['services.loadbalancers', quantityFromInteger(service.spec?.type === 'LoadBalancer' ? 1 : 0)],
      ['services.nodeports', quantityFromInteger(countNodePorts(service))],
    ]);
  },
};
