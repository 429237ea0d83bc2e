import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { addQuantities, type Quantity, quantityFromInteger } from '../../../core/quantity/quantity.ts';
import { formatCountName } from '../../core/resource-quota/plan-object-count.ts';
import type { UsageEvaluator } from '../../core/resource-quota/usage-evaluator.ts';

interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

/** A resource claim, as far as quotas look at it. */
export interface ResourceClaimUse extends KubeObject {
  readonly spec?: {
    readonly devices?: {
      readonly requests?: readonly {
        readonly exactly?: DeviceRequest;
        readonly firstAvailable?: readonly DeviceRequest[];
      }[];
    };
  };
}

const GROUP = 'resource.k8s.io';
const COUNT_NAME = formatCountName(GROUP, 'resourceclaims');
const CLASS_SUFFIX = '.deviceclass.resource.k8s.io/devices';
/** The most devices that one claim can get: what "all" may come to. */
const MAX_DEVICES = 32;

function countDevices({ allocationMode, count }: DeviceRequest): number {
  if (allocationMode === 'ExactCount') return count ?? 0;
  return allocationMode === 'All' ? MAX_DEVICES : 0;
}

/** The most devices of each class that a request may get; of alternatives only one is taken. */
function countByClass(alternatives: readonly DeviceRequest[]): Map<string, number> {
  const greatest = new Map<string, number>();
  for (const request of alternatives) {
    const name = (request.deviceClassName ?? '') + CLASS_SUFFIX;
    greatest.set(name, Math.max(greatest.get(name) ?? 0, countDevices(request)));
  }
  return greatest;
}

/** How resource claims use quota: by number, and by devices of each class. Scopes never match. */
export const resourceClaimUsageEvaluator: UsageEvaluator<ResourceClaimUse> = {
  group: GROUP,
  resource: 'resourceclaims',
  handles: ({ subresource }) => subresource === undefined,
  selectResources: (names) =>
    [...new Set(names)].filter((name) => name === COUNT_NAME || name.endsWith(CLASS_SUFFIX)).toSorted(),
  matchesScope: () => false,
  measure(claim) {
    const usage = new Map<string, Quantity>([[COUNT_NAME, quantityFromInteger(1)]]);
    for (const { exactly, firstAvailable = [] } of claim.spec?.devices?.requests ?? []) {
      const alternatives = firstAvailable.length > 0 || exactly === undefined ? firstAvailable : [exactly];
      for (const [name, devices] of countByClass(alternatives)) {
        const before = usage.get(name) ?? quantityFromInteger(0);
        usage.set(name, addQuantities(before, quantityFromInteger(devices)));
      }
    }
    return usage;
  },
};
