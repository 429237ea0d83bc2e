import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { createLiveScaleSource, findRegisteredScale } from '../../platform/scale/scale-sources.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { MemoryClient, type MemoryClientOptions } from '../quota/testdata/memory-client.ts';
import { ImpossibleBudgetPlugin } from './impossible-budget-plugin.ts';

const registry = buildKindRegistry('bailiwick.dev');
const consequence = 'no eviction of a healthy pod can ever be allowed, so nodes with such pods cannot be drained';
const selector = { matchLabels: { app: 'web' } };

function budget(spec: PodDisruptionBudget['spec']): PodDisruptionBudget {
  const status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'n' },
    spec,
    status,
  };
}

function attributes(spec: PodDisruptionBudget['spec'], more: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  return {
    operation: 'CREATE',
    resource: { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' },
    kind: 'PodDisruptionBudget',
    ...{ namespace: 'n', name: 'web', object: budget(spec), dryRun: false },
    user: { username: 'u', groups: [] },
    ...more,
  };
}

/** Three pods of a replica set that wants `replicas`. */
async function openScene(replicas: number, options: MemoryClientOptions = {}, pods = 3) {
  const client = new MemoryClient(options);
  const clock = new ManualClock(0);
  const place = (group: string, resource: string) => ({ resource: { group, version: 'v1', resource }, namespace: 'n' });
  const owner = await client.create(place('apps', 'replicasets'), {
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', namespace: 'n' } },
    spec: { replicas },
  } as KubeObject);
  const { uid = '' } = owner.metadata;
  const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid, controller: true };
  for (let i = 0; i < pods; i += 1) {
    const metadata = { name: `web-${i}`, namespace: 'n', labels: { app: 'web' }, ownerReferences: [reference] };
    await client.create(place('', 'pods'), { apiVersion: 'v1', kind: 'Pod', metadata });
  }
  const failures: unknown[] = [];
  const plugin = new ImpossibleBudgetPlugin({
    ...{ domain: 'bailiwick.dev', client, clock, onFailure: (error) => failures.push(error) },
    scales: createLiveScaleSource(client, findRegisteredScale(registry)),
  });
  const warn = async (asked: AdmissionAttributes): Promise<string[]> => {
    const warnings: string[] = [];
    await plugin.validate(asked, { warn: (text) => warnings.push(text), annotate() {} });
    return warnings;
  };
  return { plugin, warn, clock, failures };
}

describe('a budget that never allows an eviction', () => {
  it.for([
    ['nothing may be missing', { maxUnavailable: 0 }, `spec.maxUnavailable is 0: ${consequence}`],
    ['no share may be missing', { maxUnavailable: '0%' }, `spec.maxUnavailable is 0%: ${consequence}`],
    ['all must be there', { minAvailable: '100%' }, `spec.minAvailable is 100%: ${consequence}`],
    [
      'as many must be there as there are to be',
      { minAvailable: 3 },
      `spec.minAvailable is 3, and the controllers of the selected pods want 3 replicas: ${consequence}`,
    ],
    [
      'a share must be there that is rounded to all',
      { minAvailable: '90%' },
      `spec.minAvailable is 90%, which is 3 pods, and the controllers of the selected pods want 3 replicas: ${consequence}`,
    ],
  ] as const)('is warned of when %s', async ([, spec, warning]) => {
    const { warn } = await openScene(3);
    expect(await warn(attributes({ ...spec, selector }))).toEqual([warning]);
  });

  it.for([
    ['one may be missing', { maxUnavailable: 1 }],
    ['fewer must be there than there are to be', { minAvailable: 2 }],
    ['a share leaves one', { minAvailable: '50%' }],
    ['it asks for nothing', {}],
  ] as const)('is not what one is of which %s', async ([, spec]) => {
    const { warn } = await openScene(3);
    expect(await warn(attributes({ ...spec, selector }))).toEqual([]);
  });

  it('is told of again only when its spec changes', async () => {
    const { warn } = await openScene(3);
    const spec = { maxUnavailable: 0, selector };
    expect(await warn(attributes(spec, { operation: 'UPDATE', oldObject: budget(spec) }))).toEqual([]);
    const oldObject = budget({ maxUnavailable: 1, selector });
    expect(await warn(attributes(spec, { operation: 'UPDATE', oldObject }))).toHaveLength(1);
  });

  it('is not guessed where there are no pods, or too many to look at', async () => {
    expect(await (await openScene(3, {}, 0)).warn(attributes({ minAvailable: 3, selector }))).toEqual([]);
    expect(await (await openScene(501, {}, 501)).warn(attributes({ minAvailable: 501, selector }))).toEqual([]);
  });

  it('is not waited for', async () => {
    const { warn, clock } = await openScene(3, {
      pause: (verb) => (verb === 'list' ? new Promise(() => {}) : Promise.resolve()),
    });
    const warned = warn(attributes({ minAvailable: 3, selector }));
    clock.advance(1_000);
    expect(await warned).toEqual([]);
  });

  it('is no reason to refuse when pods cannot be read', async () => {
    const refusal = new Error('not allowed');
    const { warn, failures } = await openScene(3, {
      pause: (verb) => (verb === 'list' ? Promise.reject(refusal) : Promise.resolve()),
    });
    expect(await warn(attributes({ minAvailable: 3, selector }))).toEqual([]);
    expect(failures).toEqual([refusal]);
    expect(await warn(attributes({ maxUnavailable: 0, selector }))).toHaveLength(1);
  });

  it.for([
    ['a budget', {}, true],
    [
      'a budget of the own group',
      { resource: { group: 'policy.bailiwick.dev', version: 'v1', resource: 'poddisruptionbudgets' } },
      true,
    ],
    ['its status', { subresource: 'status' }, false],
    ['a deletion', { operation: 'DELETE' }, false],
    ['another kind', { resource: { group: '', version: 'v1', resource: 'pods' } }, false],
  ] as const)('is looked for in %s: %s', async ([, more, handles]) => {
    const { plugin } = await openScene(1, {}, 0);
    expect(plugin.handles(attributes({}, more as Partial<AdmissionAttributes>))).toBe(handles);
  });
});
