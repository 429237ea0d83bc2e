import { afterEach, describe, expect, it } from 'vitest';
import { makePod, makeResource, NAMESPACE, QuotaScene } from '../../../admission/quota/testdata/quota-scene.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatTime } from '../../../core/time/time.ts';
import type { Logger } from '../../../platform/process/logger.ts';
import { QuotaController } from './quota-controller.ts';

const logger = { warn: () => {}, info: () => {}, debug: () => {}, error: () => {} } as unknown as Logger;
let controller: QuotaController | undefined;

afterEach(async () => {
  await controller?.close();
  controller = undefined;
});

async function startScene(resyncMillis = 60_000): Promise<QuotaScene> {
  const scene = new QuotaScene();
  controller = new QuotaController({ ...scene.services, logger, resyncMillis });
  await controller.start();
  return scene;
}

/** Resolves once a quota's used amounts are as expected. */
async function expectUsed(scene: QuotaScene, name: string, used: Record<string, string>): Promise<void> {
  await expect.poll(() => scene.readUsed(name), { interval: 5 }).toEqual(used);
}

async function setPod(scene: QuotaScene, name: string, change: (pod: KubeObject) => KubeObject): Promise<void> {
  const reference = { resource: makeResource('pods'), namespace: NAMESPACE, name };
  await scene.client.update(reference, change(await scene.client.get(reference)), {}, 'status');
}

describe('QuotaController', () => {
  it('computes the status of a new quota and of a changed one', async () => {
    const scene = await startScene();
    await scene.create('pods', makePod('a', { cpu: '250m' }));
    await scene.createQuota('q', { pods: '5' });
    await expectUsed(scene, 'q', { pods: '1' });
    const reference = { resource: makeResource('resourcequotas'), namespace: NAMESPACE, name: 'q' };
    const quota = await scene.client.get<KubeObject & { spec: object }>(reference);
    await scene.client.update(reference, { ...quota, spec: { hard: { 'requests.cpu': '1' } } });
    await expectUsed(scene, 'q', { 'requests.cpu': '250m' });
  });

  it('counts what was there before it started', async () => {
    const scene = new QuotaScene();
    await scene.create('pods', makePod('a'));
    await scene.createQuota('q', { pods: '5', 'count/configmaps': '3' });
    controller = new QuotaController({ ...scene.services, logger });
    await controller.start();
    await expectUsed(scene, 'q', { pods: '1', 'count/configmaps': '0' });
  });

  it('replenishes when an object is deleted', async () => {
    const scene = await startScene();
    await scene.createQuota('q', { pods: '1' });
    await scene.create('pods', makePod('a'));
    expect(await scene.create('pods', makePod('b'))).toContain('exceeded quota');
    await expectUsed(scene, 'q', { pods: '1' });
    await scene.delete('pods', 'a');
    await expectUsed(scene, 'q', { pods: '0' });
    expect(await scene.create('pods', makePod('b'))).toBeUndefined();
  });

  it('replenishes when a pod ends, and keeps counting it as an object', async () => {
    const scene = await startScene();
    await scene.createQuota('q', { pods: '1', 'count/pods': '2' });
    await scene.create('pods', makePod('a'));
    await expectUsed(scene, 'q', { pods: '1', 'count/pods': '1' });
    await setPod(scene, 'a', (pod) => ({ ...pod, status: { phase: 'Succeeded' } }) as KubeObject);
    await expectUsed(scene, 'q', { pods: '0', 'count/pods': '1' });
  });

  it('replenishes when a pod is stuck beyond its grace', async () => {
    const scene = await startScene(3_600_000);
    const pod = makePod('a');
    pod.metadata.deletionTimestamp = formatTime(scene.clock.now() + 30_000);
    pod.metadata.deletionGracePeriodSeconds = 30;
    await scene.createQuota('q', { pods: '1' });
    await expectUsed(scene, 'q', { pods: '0' });
    await scene.create('pods', pod);
    await expectUsed(scene, 'q', { pods: '1' });
    // One timer is the resync's: the other says that the watch has seen the pod.
    await expect.poll(() => scene.clock.pendingCount).toBeGreaterThan(1);
    scene.clock.advance(61_000);
    await expectUsed(scene, 'q', { pods: '0' });
  });

  it('repairs a status that drifted, in time', async () => {
    const scene = await startScene();
    await scene.createQuota('q', { pods: '5' });
    await expectUsed(scene, 'q', { pods: '0' });
    await controller?.waitUntilIdle();
    const reference = { resource: makeResource('resourcequotas'), namespace: NAMESPACE, name: 'q' };
    const quota = await scene.client.get<KubeObject>(reference);
    const status = { hard: { pods: '5' }, used: { pods: '4' } };
    await scene.client.update(reference, { ...quota, status } as KubeObject, {}, 'status');
    expect(scene.readUsed('q')).toEqual({ pods: '4' });
    scene.clock.advance(60_000);
    await expectUsed(scene, 'q', { pods: '0' });
  });

  it('repairs a status that shows other bounds than its quota long before it counts anew', async () => {
    const scene = await startScene(3_600_000);
    await scene.createQuota('q', { pods: '5' });
    await expectUsed(scene, 'q', { pods: '0' });
    await controller?.waitUntilIdle();
    const before = scene.clock.pendingCount;
    const reference = { resource: makeResource('resourcequotas'), namespace: NAMESPACE, name: 'q' };
    const quota = await scene.client.get<KubeObject>(reference);
    const status = { hard: { pods: '9' }, used: { pods: '4' } };
    await scene.client.update(reference, { ...quota, status } as KubeObject, {}, 'status');
    await expect.poll(() => scene.clock.pendingCount).toBeGreaterThan(before);
    expect(scene.readUsed('q')).toEqual({ pods: '4' });
    scene.clock.advance(10_000);
    await expectUsed(scene, 'q', { pods: '0' });
  });
});
