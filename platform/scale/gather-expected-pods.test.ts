import { describe, expect, it } from 'vitest';

import { makeNotFoundError } from '../../core/errors/make-status-error.ts';
import type { BudgetPod } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import type { ScaleSource } from './find-controller-scale.ts';
import { gatherExpectedPods } from './gather-expected-pods.ts';

const resource = { group: 'acme.example', version: 'v1', resource: 'rollouts' };

function makePods(count: number): BudgetPod[] {
  return Array.from({ length: count }, (_, i) => {
    const owner = { apiVersion: 'acme.example/v1', kind: 'Rollout', name: `r${i}`, uid: `r${i}`, controller: true };
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${i}`, ownerReferences: [owner] } };
  });
}

function makeSource(isThere: (name: string) => boolean): { readonly source: ScaleSource; readonly asked: string[] } {
  const asked: string[] = [];
  const get = async ({ name }: { name: string }) => {
    asked.push(name);
    if (!isThere(name)) throw makeNotFoundError(resource.group, resource.resource, name);
    return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name, uid: name }, spec: { replicas: 2 } };
  };
  const source: ScaleSource = {
    readWorkload: async () => undefined,
    findResource: () => ({ resource, namespaced: true, hasScale: true }),
    client: { get } as unknown as ResourceClient,
  };
  return { source, asked };
}

const budget = { metadata: { namespace: 'n' }, spec: { maxUnavailable: 1, selector: {} } };

describe('gatherExpectedPods', () => {
  it('adds up what all controllers want', async () => {
    const { source, asked } = makeSource(() => true);
    const { counted } = (await gatherExpectedPods(source, budget, makePods(3))) as { counted: object };
    expect(counted).toEqual({ expectedPods: 6, desiredHealthy: 5, unmanagedPods: [] });
    expect(asked).toEqual(['r0', 'r1', 'r2']);
  });

  it('asks for no more than it takes to know that it cannot count', async () => {
    const { source, asked } = makeSource((name) => name !== 'r2');
    const answer = await gatherExpectedPods(source, budget, makePods(500));
    expect(answer).toEqual({ fault: 'found no controllers for pod "p2"' });
    expect(asked).toEqual(['r0', 'r1', 'r2']);
  });
});
