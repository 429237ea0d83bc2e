import { describe, expect, it } from 'vitest';
import { writeUsage } from '../../core/resource-quota/usage.ts';
import { type ResourceClaimUse, resourceClaimUsageEvaluator } from './plan-resource-claim-usage.ts';

const exact = (deviceClassName: string, count: number) => ({ deviceClassName, allocationMode: 'ExactCount', count });

describe('what resource claims use', () => {
  it.for([
    [[], {}],
    [[{ exactly: exact('gpu', 2) }, { exactly: exact('gpu', 1) }], { gpu: '3' }],
    [[{ exactly: { deviceClassName: 'gpu', allocationMode: 'All' } }], { gpu: '32' }],
    [[{ firstAvailable: [exact('gpu', 1), exact('gpu', 4), exact('nic', 2)] }], { gpu: '4', nic: '2' }],
  ] as const)('%j', ([requests, devices]) => {
    const metadata = { name: 'c' };
    const spec = { devices: { requests } };
    const claim: ResourceClaimUse = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata, spec };
    const byClass = Object.entries(devices).map(([name, count]) => [
      `${name}.deviceclass.resource.k8s.io/devices`,
      count,
    ]);
    expect(writeUsage(resourceClaimUsageEvaluator.measure(claim, 0))).toEqual({
      'count/resourceclaims.resource.k8s.io': '1',
      ...Object.fromEntries(byClass),
    });
  });
});
