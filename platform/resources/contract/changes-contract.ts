import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../core/meta/json.ts';
import type { PatchType } from '../resource-client.ts';
import type { ContractBench } from './contract-bench.ts';
import {
  configMaps,
  limitRanges,
  make,
  makeMap,
  makeQuota,
  makeRange,
  names,
  quotas,
  refusalOf,
  type AnyObject,
} from './contract-objects.ts';

/** Patches, the status subresource, and deletions. */
export function describeChanges(bench: ContractBench): void {
  describe('patches', () => {
    it.for<[PatchType, JsonValue, JsonValue]>([
      ['application/merge-patch+json', { spec: { hard: { pods: '2' } } }, { pods: '2', services: '1' }],
      ['application/json-patch+json', [{ op: 'remove', path: '/spec/hard/pods' }], { services: '1' }],
      ['application/strategic-merge-patch+json', { spec: { hard: { pods: null } } }, { services: '1' }],
      [
        'application/apply-patch+yaml',
        { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'a' }, spec: { hard: { secrets: '1' } } },
        { pods: '1', services: '1', secrets: '1' },
      ],
    ])('carries out %s', async ([type, patch, hard]) => {
      const quota = make(quotas, 'ResourceQuota', 'a', { spec: { hard: { pods: '1', services: '1' } } });
      await bench.create(quota, quotas);
      const options = type === 'application/apply-patch+yaml' ? { fieldManager: 'me', force: true } : {};
      expect(await bench.client.patch(bench.at(quotas, 'a'), type, patch, options)).toMatchObject({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        spec: { hard },
      });
      expect(await bench.client.get(bench.at(quotas, 'a'))).toMatchObject({ spec: { hard } });
    });

    it('merges lists by their keys in a strategic merge patch', async () => {
      await bench.create(makeMap('owner'));
      await bench.create(makeRange('a'), limitRanges);
      const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid });
      for (const uid of ['1', '2']) {
        await bench.client.patch(bench.at(limitRanges, 'a'), 'application/strategic-merge-patch+json', {
          metadata: { ownerReferences: [owner(uid)] },
        });
      }
      const { metadata } = await bench.client.get(bench.at(limitRanges, 'a'));
      expect(metadata.ownerReferences?.map(({ uid }) => uid).toSorted()).toEqual(['1', '2']);
      const conflicting = { metadata: { resourceVersion: '1', labels: { x: 'y' } } };
      const call = bench.client.patch(
        bench.at(limitRanges, 'a'),
        'application/strategic-merge-patch+json',
        conflicting,
      );
      expect(await refusalOf(call)).toMatchObject({ code: 409, reason: 'Conflict' });
    });

    it('creates by apply, and refuses a field that another owns', async () => {
      const apply = (manager: string, pods: string, force?: boolean) =>
        bench.client.patch(
          bench.at(quotas, 'a'),
          'application/apply-patch+yaml',
          { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'a' }, spec: { hard: { pods } } },
          { fieldManager: manager, ...(force === undefined ? {} : { force }) },
        );
      const made = await apply('one', '1');
      expect(made).toMatchObject({
        apiVersion: 'v1',
        metadata: { managedFields: [{ operation: 'Apply', apiVersion: 'v1' }] },
      });
      const refusal = await refusalOf(apply('two', '2'));
      expect(refusal).toMatchObject({ code: 409, reason: 'Conflict' });
      expect(refusal.details?.causes).toMatchObject([{ reason: 'FieldManagerConflict', field: '.spec.hard.pods' }]);
      expect(await apply('two', '2', true)).toMatchObject({ spec: { hard: { pods: '2' } } });
    });

    it('binds a patch to a version', async () => {
      const made = await bench.create(makeMap('a'));
      const bound = (version = '') =>
        bench.client.patch(bench.at(configMaps, 'a'), 'application/merge-patch+json', {
          metadata: { resourceVersion: version },
          data: { x: version },
        });
      const changed = await bound(made.metadata.resourceVersion);
      expect(await refusalOf(bound(made.metadata.resourceVersion))).toMatchObject({ code: 409, reason: 'Conflict' });
      expect((await bound(changed.metadata.resourceVersion)).metadata.uid).toBe(made.metadata.uid);
    });

    it('refuses a patch that does not fit', async () => {
      await bench.create(makeRange('a'), limitRanges);
      const patch = [{ op: 'test', path: '/metadata/name', value: 'b' }];
      const call = bench.client.patch(bench.at(limitRanges, 'a'), 'application/json-patch+json', patch);
      expect(await refusalOf(call)).toMatchObject({ code: 422, reason: 'Invalid' });
    });
  });

  describe('the status subresource', () => {
    it('is read and written apart from the rest', async () => {
      const made = await bench.client.create<AnyObject>(bench.all(quotas), {
        ...makeQuota('a'),
        status: { used: { pods: '7' } },
      });
      expect(made['status'] ?? {}).toEqual({});
      const status = { hard: { pods: '1' }, used: { pods: '0' } };
      const changed = { ...made, spec: { hard: { pods: '9' } }, status };
      const updated = await bench.client.update<AnyObject>(bench.at(quotas, 'a'), changed, undefined, 'status');
      expect(updated).toMatchObject({ apiVersion: 'v1', spec: { hard: { pods: '1' } }, status });
      const patched = await bench.client.patch(
        bench.at(quotas, 'a'),
        'application/merge-patch+json',
        { status: { used: { pods: '1' } } },
        undefined,
        'status',
      );
      expect(patched).toMatchObject({ status: { hard: { pods: '1' }, used: { pods: '1' } } });
      expect(await bench.client.get(bench.at(quotas, 'a'), undefined, 'status')).toEqual(patched);
      const entry = updated.metadata.managedFields?.find(({ subresource }) => subresource === 'status');
      expect(entry?.apiVersion).toBe('v1');
      expect(await refusalOf(bench.client.update(bench.at(quotas, 'a'), changed, undefined, 'status'))).toMatchObject({
        code: 409,
        reason: 'Conflict',
      });
    });

    it('is there only for kinds that have one', async () => {
      const made = await bench.create(makeRange('a'), limitRanges);
      const call = bench.client.update(bench.at(limitRanges, 'a'), made, undefined, 'status');
      expect(await refusalOf(call)).toMatchObject({ code: 404, reason: 'NotFound' });
    });
  });

  describe('deletions', () => {
    it('keeps an object that finalizers hold', async () => {
      const object = { ...makeMap('a'), metadata: { name: 'a', finalizers: ['example.com/hold'] } };
      await bench.create(object);
      const marked = await bench.client.delete(bench.at(configMaps, 'a'));
      expect(marked.metadata.deletionTimestamp).toBeDefined();
      expect(marked.metadata.finalizers).toEqual(['example.com/hold']);
      await bench.client.patch(bench.at(configMaps, 'a'), 'application/merge-patch+json', {
        metadata: { finalizers: null },
      });
      expect(await refusalOf(bench.client.get(bench.at(configMaps, 'a')))).toMatchObject({ code: 404 });
    });

    it('holds to preconditions', async () => {
      const made = await bench.create(makeMap('a'));
      for (const preconditions of [{ uid: '00000000-0000-0000-0000-000000000000' }, { resourceVersion: '1' }]) {
        const refusal = await refusalOf(bench.client.delete(bench.at(configMaps, 'a'), { preconditions }));
        expect(refusal).toMatchObject({ code: 409, reason: 'Conflict', details: { name: 'a' } });
        expect(refusal.message).toContain('in the precondition');
      }
      const { uid, resourceVersion } = made.metadata;
      await bench.client.delete(bench.at(configMaps, 'a'), {
        preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
      });
      expect((await bench.client.list(bench.all(configMaps))).items).toEqual([]);
    });

    it('refuses a policy it does not know', async () => {
      await bench.create(makeMap('a'));
      const call = bench.client.delete(bench.at(configMaps, 'a'), { propagationPolicy: 'Sideways' });
      expect(await refusalOf(call)).toMatchObject({
        code: 422,
        reason: 'Invalid',
        details: { kind: 'DeleteOptions' },
      });
    });

    it('deletes what a selection shows', async () => {
      for (const n of ['a', 'b', 'c']) {
        const object = makeRange(n);
        object.metadata.labels = { keep: String(n === 'b') };
        await bench.create(object, limitRanges);
      }
      await bench.client.deleteCollection(bench.all(limitRanges), { labelSelector: 'keep!=true' }, { dryRun: ['All'] });
      expect(names((await bench.client.list(bench.all(limitRanges))).items)).toEqual(['a', 'b', 'c']);
      await bench.client.deleteCollection(bench.all(limitRanges), { labelSelector: 'keep!=true' });
      expect(names((await bench.client.list(bench.all(limitRanges))).items)).toEqual(['b']);
      await bench.client.deleteCollection(bench.all(limitRanges));
      expect((await bench.client.list(bench.all(limitRanges))).items).toEqual([]);
    });
  });
}
