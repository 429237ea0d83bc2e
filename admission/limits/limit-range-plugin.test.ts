import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { StatusError } from '../../core/errors/status.ts';
import type { PodResources, ResourceRequirements } from '../../kinds/core/pod/pod-resources.ts';
import { makePod, QuotaScene } from '../quota/testdata/quota-scene.ts';
import { makeResource, NAMESPACE } from '../quota/testdata/quota-scene.ts';
import { LimitRangePlugin } from './limit-range-plugin.ts';
import { readLimitRanges } from './limit-range-source.ts';
import rows from './testdata/limit-ranges.json' with { type: 'json' };

interface Row {
  name: string;
  limits: object[];
  spec: NonNullable<PodResources['spec']>;
  message?: string;
  annotation?: string | null;
  resources?: ResourceRequirements[];
}

async function makeScene(...ranges: object[][]): Promise<{ scene: QuotaScene; plugin: LimitRangePlugin }> {
  const scene = new QuotaScene();
  for (const [i, limits] of ranges.entries()) {
    const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: `l${i}` }, spec: { limits } } as KubeObject;
    await scene.client.create({ resource: makeResource('limitranges'), namespace: NAMESPACE }, range);
  }
  return { scene, plugin: new LimitRangePlugin({ ranges: readLimitRanges(scene.client) }) };
}

/** What the API itself defaults before admission: a limit without a request is also the request. */
function fillRequests(resources: ResourceRequirements | undefined): void {
  if (resources?.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
}

async function admit(plugin: LimitRangePlugin, scene: QuotaScene, resource: string, object: KubeObject) {
  const attributes = scene.makeAttributes(resource, object);
  try {
    if (plugin.handles(attributes)) {
      await plugin.mutate(attributes);
      await plugin.validate(attributes);
    }
  } catch (error) {
    if (error instanceof StatusError) return error.status.message;
    throw error;
  }
  return undefined;
}

describe('LimitRangePlugin', () => {
  // The rows are the answers of a Kubernetes 1.34 control plane.
  it.for(rows as unknown as Row[])('pods: $name', async (row) => {
    const { scene, plugin } = await makeScene(row.limits);
    const pod: PodResources = { ...makePod('p'), spec: structuredClone(row.spec) };
    const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
    for (const container of containers) fillRequests(container.resources);
    fillRequests(pod.spec?.resources);
    expect(await admit(plugin, scene, 'pods', pod)).toBe(row.message);
    if (row.message !== undefined) return;
    expect(pod.metadata.annotations?.['kubernetes.io/limit-ranger'] ?? null).toBe(row.annotation);
    expect(containers.map(({ resources }) => ({ ...resources }))).toEqual(row.resources?.map((filled) => filled));
  });

  it.for([
    ['10Gi', undefined],
    ['500Mi', 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi'],
    ['30Gi', 'maximum storage usage per PersistentVolumeClaim is 20Gi, but request is 30Gi'],
  ] as const)('claims: %s', async ([storage, fault]) => {
    const { scene, plugin } = await makeScene([
      { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '20Gi' } },
    ]);
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec: { resources: { requests: { storage } } },
    } as KubeObject;
    const message = fault === undefined ? undefined : `persistentvolumeclaims "c" is forbidden: ${fault}`;
    expect(await admit(plugin, scene, 'persistentvolumeclaims', claim)).toBe(message);
  });

  it('lets the first of several ranges fill in, and the last that fills tell about it', async () => {
    const { scene, plugin } = await makeScene(
      [{ type: 'Container', default: { cpu: '1' } }],
      [{ type: 'Container', default: { cpu: '2', memory: '1Gi' } }],
    );
    const pod: PodResources = makePod('p');
    expect(await admit(plugin, scene, 'pods', pod)).toBeUndefined();
    expect(pod.spec?.containers?.[0]?.resources?.limits).toEqual({ cpu: '1', memory: '1Gi' });
    expect(pod.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger': 'LimitRanger plugin set: memory limit for container c',
    });
  });

  it('names a pod by its prefix while its name is not final', async () => {
    const { scene, plugin } = await makeScene([{ type: 'Container', min: { cpu: '1' } }]);
    const pod = { ...makePod(''), metadata: { generateName: 'web-' } };
    expect(await admit(plugin, scene, 'pods', pod)).toContain('pods "web-" is forbidden: minimum cpu usage');
  });

  it('looks at resized pods, but not at other updates, nor at what is being deleted', async () => {
    const { scene, plugin } = await makeScene([{ type: 'Container', max: { cpu: '1' } }]);
    const pod = makePod('p');
    const deleted = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const resize = { subresource: 'resize' };
    expect(plugin.handles(scene.makeAttributes('pods', pod, pod))).toBe(false);
    expect(plugin.handles(scene.makeAttributes('pods', pod, pod, resize))).toBe(true);
    expect(plugin.handles(scene.makeAttributes('pods', pod, deleted, resize))).toBe(false);
    expect(plugin.handles(scene.makeAttributes('pods', pod, pod, { subresource: 'status' }))).toBe(false);
  });
});
