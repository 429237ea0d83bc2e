import { describe, expect, it } from 'vitest';
import { recountQuota } from './recount-quota.ts';
import { makePod, makeResource, makeService, NAMESPACE, QuotaScene } from './testdata/quota-scene.ts';

describe('ResourceQuotaPlugin', () => {
  it('refuses what exceeds a quota, and says by how much', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('q', { pods: '3', 'requests.cpu': '1' });
    for (const name of ['a', 'b', 'c']) {
      expect(await scene.create('pods', makePod(name, { cpu: '100m' }))).toBeUndefined();
    }
    expect(await scene.create('pods', makePod('d', { cpu: '800m' }))).toBe(
      'pods "d" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=800m, used: pods=3,requests.cpu=300m, limited: pods=3,requests.cpu=1',
    );
    expect(scene.readUsed('q')).toEqual({ pods: '3', 'requests.cpu': '300m' });
  });

  it('limits the first request after a quota was made, objects that were there before included', async () => {
    const scene = new QuotaScene();
    await scene.create('pods', makePod('a'));
    await scene.createQuota('q', { pods: '1' });
    expect(await scene.create('pods', makePod('b'))).toContain('used: pods=1, limited: pods=1');
  });

  it('demands the resources that a quota is about', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('q', { 'limits.cpu': '1', memory: '1Gi' });
    expect(await scene.create('pods', makePod('a'))).toBe(
      'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: c; memory for: c',
    );
  });

  it('charges updates by what they add, and gives back nothing by itself', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('q', { 'services.nodeports': '2', 'services.loadbalancers': '1', services: '5' });
    await scene.create('services', makeService('a', 'ClusterIP', 2));
    expect(scene.readUsed('q')).toEqual({ services: '1', 'services.loadbalancers': '0', 'services.nodeports': '0' });
    const retype = (type: string, ports: number) => () => ({ ...makeService('a', type, ports) });
    const update = (type: string, ports: number) =>
      scene.update('services', 'a', (old) => ({ ...retype(type, ports)(), metadata: old.metadata }));
    expect(await update('NodePort', 2)).toBeUndefined();
    expect(await update('LoadBalancer', 3)).toContain(
      'exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=2, limited: services.nodeports=2',
    );
    expect(await update('ClusterIP', 2)).toBeUndefined();
    expect(scene.readUsed('q')).toEqual({ services: '1', 'services.loadbalancers': '0', 'services.nodeports': '2' });
    await recountQuota(scene, NAMESPACE, 'q');
    expect(scene.readUsed('q')).toEqual({ services: '1', 'services.loadbalancers': '0', 'services.nodeports': '0' });
  });

  it('takes back what it charged to one quota when another refuses or the store fails', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('a', { pods: '5' });
    await scene.createQuota('b', { pods: '1' });
    await scene.create('pods', makePod('p1'));
    expect(await scene.create('pods', makePod('p2'))).toContain('exceeded quota: b');
    expect([scene.readUsed('a'), scene.readUsed('b')]).toEqual([{ pods: '1' }, { pods: '1' }]);
    await scene.delete('pods', 'p1');
    await recountQuota(scene, NAMESPACE, 'b');
    expect(await scene.create('pods', makePod('p3'), true)).toBe('failed');
    expect([scene.readUsed('a'), scene.readUsed('b')]).toEqual([{ pods: '1' }, { pods: '0' }]);
    expect(scene.ledger.countOpen()).toBe(0);
  });

  it('checks a dry run and records nothing', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('q', { pods: '1' });
    const attributes = scene.makeAttributes('pods', makePod('a'), undefined, { dryRun: true });
    expect(await scene.plugin.reserve(attributes)).toBeUndefined();
    expect(scene.readUsed('q')).toEqual({ pods: '0' });
    await scene.create('pods', makePod('b'));
    await expect(scene.plugin.reserve(attributes)).rejects.toThrow('exceeded quota');
    expect(scene.ledger.countOpen()).toBe(0);
  });

  it('stores one status for many requests that wait together', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('q', { pods: '50' });
    await recountQuota(scene, NAMESPACE, 'q');
    let writes = 0;
    const update = scene.client.update.bind(scene.client);
    scene.client.update = (...parameters) => {
      writes += 1;
      return update(...parameters) as never;
    };
    const results = await Promise.all(Array.from({ length: 300 }, (_, i) => scene.create('pods', makePod(`p${i}`))));
    expect(results.filter((refusal) => refusal === undefined)).toHaveLength(50);
    expect(scene.client.read('pods')).toHaveLength(50);
    expect(scene.readUsed('q')).toEqual({ pods: '50' });
    expect(writes).toBeLessThan(5);
  });

  it('counts a write between its charge and its storing', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('q', { pods: '1' });
    const pod = makePod('a');
    pod.metadata.uid = 'u';
    const reservation = await scene.plugin.reserve(scene.makeAttributes('pods', pod));
    await recountQuota(scene, NAMESPACE, 'q');
    expect(scene.readUsed('q')).toEqual({ pods: '1' });
    expect(await scene.create('pods', makePod('b'))).toContain('exceeded quota');
    await scene.client.create({ resource: makeResource('pods'), namespace: NAMESPACE }, pod);
    // Stored, but not yet known to be: it counts once.
    await recountQuota(scene, NAMESPACE, 'q');
    expect(scene.readUsed('q')).toEqual({ pods: '1' });
    reservation?.settle();
    await recountQuota(scene, NAMESPACE, 'q');
    expect(scene.readUsed('q')).toEqual({ pods: '1' });
  });

  it('counts a write that began before its quota was made', async () => {
    const scene = new QuotaScene();
    const pod = makePod('a');
    pod.metadata.uid = 'u';
    const reservation = await scene.plugin.reserve(scene.makeAttributes('pods', pod));
    await scene.createQuota('q', { pods: '1' });
    expect(await scene.create('pods', makePod('b'))).toContain('exceeded quota');
    await reservation?.undo();
    expect(scene.readUsed('q')).toEqual({ pods: '0' });
    expect(await scene.create('pods', makePod('b'))).toBeUndefined();
  });

  it('takes nothing back for a write that a recount has left out', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('q', { 'services.nodeports': '9' });
    await scene.create('services', makeService('a', 'NodePort', 1));
    const reference = { resource: makeResource('services'), namespace: NAMESPACE, name: 'a' };
    const old = await scene.client.get(reference);
    const outrun = { ...makeService('a', 'NodePort', 4), metadata: old.metadata };
    const reservation = await scene.plugin.reserve(scene.makeAttributes('services', outrun, old));
    expect(scene.readUsed('q')).toEqual({ 'services.nodeports': '4' });
    await scene.update('services', 'a', ({ metadata }) => ({ ...makeService('a', 'NodePort', 3), metadata }));
    // The first update is bound to fail now: only what is stored counts.
    await recountQuota(scene, NAMESPACE, 'q');
    expect(scene.readUsed('q')).toEqual({ 'services.nodeports': '3' });
    await reservation?.undo();
    expect(scene.readUsed('q')).toEqual({ 'services.nodeports': '3' });
  });

  it('counts updates on top of each other that are later than the list', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('q', { 'services.nodeports': '9' });
    await scene.create('services', makeService('a', 'NodePort', 1));
    const list = scene.client.list.bind(scene.client);
    const isListed = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    scene.client.list = async (reference, options) => {
      const page = await list(reference, options);
      if (reference.resource.resource === 'services') {
        isListed.resolve();
        await mayGoOn.promise;
      }
      return page as never;
    };
    const recount = recountQuota(scene, NAMESPACE, 'q');
    await isListed.promise;
    for (const ports of [2, 4]) {
      await scene.update('services', 'a', ({ metadata }) => ({ ...makeService('a', 'NodePort', ports), metadata }));
    }
    await scene.create('services', makeService('b', 'NodePort', 1));
    await scene.update('services', 'b', ({ metadata }) => ({ ...makeService('b', 'NodePort', 3), metadata }));
    mayGoOn.resolve();
    await recount;
    expect(scene.readUsed('q')).toEqual({ 'services.nodeports': '7' });
  });

  it('leaves requests alone that no quota counts', async () => {
    const scene = new QuotaScene();
    await scene.createQuota('q', { pods: '0', 'count/events': '0' });
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' } };
    expect(scene.plugin.handles(scene.makeAttributes('events', event))).toBe(false);
    expect(
      await scene.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }),
    ).toBeUndefined();
  });
});
