import { describe, expect, it } from 'vitest';
import type { StatusError } from '../../../core/errors/status.ts';
import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import type { ContractBench } from './contract-bench.ts';
import {
  configMaps,
  kindRows,
  limitRanges,
  make,
  makeMap,
  makeQuota,
  makeRange,
  quotas,
  refusalOf,
  type AnyObject,
} from './contract-objects.ts';

/** The life of an object, and the options of a write. */
export function describeObjects(bench: ContractBench): void {
  describe.for(kindRows)('%s', ([resource, kind, rest]) => {
    it('creates, gets, lists, updates and deletes an object under its own name', async () => {
      const apiVersion = formatApiVersion(resource.group, resource.version);
      const object = make(resource, kind, 'a', rest);
      const made = await bench.client.create<AnyObject>(bench.all(resource), object);
      expect(made).toMatchObject({ apiVersion, kind, metadata: { name: 'a', namespace: bench.namespace }, ...rest });
      expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(made.metadata.managedFields).toMatchObject([{ apiVersion, operation: 'Update' }]);
      expect(object).toEqual(make(resource, kind, 'a', rest));

      expect(await bench.client.get(bench.at(resource, 'a'))).toEqual(made);
      const list = await bench.client.list(bench.all(resource));
      expect(list.items).toEqual([made]);
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(made.metadata.resourceVersion));
      expect(list.metadata.continue ?? '').toBe('');

      const changed = await bench.client.update<AnyObject>(bench.at(resource, 'a'), {
        ...made,
        metadata: { ...made.metadata, labels: { x: 'y' } },
      });
      expect(changed).toMatchObject({ apiVersion, kind, metadata: { uid: made.metadata.uid, labels: { x: 'y' } } });
      expect(changed.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);

      const gone = await bench.client.delete(bench.at(resource, 'a'));
      expect(gone).toMatchObject({
        apiVersion,
        kind,
        metadata: { name: 'a', namespace: bench.namespace, uid: made.metadata.uid },
      });
      expect((await bench.client.list(bench.all(resource))).items).toEqual([]);
    });

    it('refuses what is absent, present or outdated', async () => {
      const { group, resource: plural } = resource;
      const subjectText = group === '' ? plural : `${plural}.${group}`;
      const details = { name: 'a', kind: plural, ...(group === '' ? {} : { group }) };
      const notFound = { code: 404, reason: 'NotFound', message: `${subjectText} "a" not found`, details };
      const failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
      expect(await refusalOf(bench.client.get(bench.at(resource, 'a')))).toEqual({ ...failure, ...notFound });
      expect(await refusalOf(bench.client.delete(bench.at(resource, 'a')))).toEqual({ ...failure, ...notFound });
      const patch = bench.client.patch(bench.at(resource, 'a'), 'application/merge-patch+json', {});
      expect(await refusalOf(patch)).toEqual({ ...failure, ...notFound });

      const made = await bench.client.create<AnyObject>(bench.all(resource), make(resource, kind, 'a', rest));
      expect(await refusalOf(bench.client.create(bench.all(resource), make(resource, kind, 'a', rest)))).toEqual({
        ...failure,
        code: 409,
        reason: 'AlreadyExists',
        message: `${subjectText} "a" already exists`,
        details,
      });
      const labelled = { ...made, metadata: { ...made.metadata, labels: { x: 'y' } } };
      await bench.client.update(bench.at(resource, 'a'), labelled);
      expect(await refusalOf(bench.client.update(bench.at(resource, 'a'), labelled))).toEqual({
        ...failure,
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on ${subjectText} "a": the object has been modified; please apply your changes to the latest version and try again`,
        details,
      });
    });

    it('watches an object under its own name', async () => {
      const apiVersion = formatApiVersion(resource.group, resource.version);
      const reader = bench.watch({ resourceVersion: await bench.listVersion(resource) }, resource);
      const made = await bench.client.create<AnyObject>(bench.all(resource), make(resource, kind, 'a', rest));
      const changed = await bench.client.patch(bench.at(resource, 'a'), 'application/merge-patch+json', {
        metadata: { labels: { x: 'y' } },
      });
      await bench.client.delete(bench.at(resource, 'a'));
      expect(await reader.next()).toEqual({ type: 'ADDED', object: made });
      expect(await reader.next()).toEqual({ type: 'MODIFIED', object: changed });
      const last = await reader.next();
      expect(last).toMatchObject({ type: 'DELETED', object: { apiVersion, kind, metadata: { name: 'a' } } });
      expect(Number(last?.object.metadata.resourceVersion)).toBeGreaterThan(Number(changed.metadata.resourceVersion));
    });
  });

  describe('names and options of a write', () => {
    it('generates a name', async () => {
      const object = { ...makeMap(''), metadata: { generateName: 'made-' } };
      const [first, second] = await Promise.all([bench.create(object), bench.create(object)]);
      expect(first.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
      expect(second.metadata.name).not.toBe(first.metadata.name);
    });

    it('stores nothing in a dry run', async () => {
      const dry = { dryRun: ['All'] };
      expect((await bench.client.create(bench.all(limitRanges), makeRange('a'), dry)).metadata.uid).toBeDefined();
      expect(await refusalOf(bench.client.get(bench.at(limitRanges, 'a')))).toMatchObject({ code: 404 });
      const made = await bench.create(makeRange('a'), limitRanges);
      const changed = { ...made, metadata: { ...made.metadata, labels: { x: 'y' } } };
      expect((await bench.client.update(bench.at(limitRanges, 'a'), changed, dry)).metadata.labels).toEqual({ x: 'y' });
      const patch = { metadata: { labels: { x: 'y' } } };
      await bench.client.patch(bench.at(limitRanges, 'a'), 'application/merge-patch+json', patch, dry);
      await bench.client.delete(bench.at(limitRanges, 'a'), dry);
      expect(await bench.client.get(bench.at(limitRanges, 'a'))).toEqual(made);
    });

    it('names the manager of the fields', async () => {
      const made = await bench.client.create(bench.all(quotas), makeQuota('a'), { fieldManager: 'chosen' });
      expect(made.metadata.managedFields).toMatchObject([{ manager: 'chosen', apiVersion: 'v1' }]);
    });

    it('refuses unknown fields when that is asked for, and drops them otherwise', async ({ skip }) => {
      skip(!bench.subject.readsBodies);
      const object = { ...makeRange('a'), surprise: 1 } as AnyObject;
      const strict = bench.client.create(bench.all(limitRanges), object, { fieldValidation: 'Strict' });
      const refusal = await refusalOf(strict);
      expect(refusal).toMatchObject({ code: 400, reason: 'BadRequest' });
      expect(refusal.message).toContain('unknown field "surprise"');
      expect(
        await bench.client.create(bench.all(limitRanges), object, { fieldValidation: 'Ignore' }),
      ).not.toHaveProperty('surprise');
    });

    it('refuses an object without a name', async () => {
      const refusal = await refusalOf(bench.create({ ...makeQuota(''), metadata: {} }, quotas));
      expect(refusal).toMatchObject({ code: 422, reason: 'Invalid', details: { kind: 'ResourceQuota' } });
      expect(refusal.details?.group).toBeUndefined();
      expect(refusal.message).toContain('ResourceQuota "" is invalid: ');
      expect(refusal.message).toContain('name or generateName is required');
    });

    it('refuses an option it does not know', async () => {
      const call = bench.client.create(bench.all(configMaps), makeMap('a'), { dryRun: ['Some'] });
      expect(await refusalOf(call)).toMatchObject({
        code: 422,
        reason: 'Invalid',
        details: { kind: 'CreateOptions' },
      });
    });

    it('names the field of an invalid object', async () => {
      const bad = make(quotas, 'ResourceQuota', 'a', { spec: { hard: { pods: '-1' } } });
      const refusal = await refusalOf(bench.create(bad, quotas));
      expect(refusal).toMatchObject({ code: 422, reason: 'Invalid', details: { name: 'a', kind: 'ResourceQuota' } });
      expect(refusal.details?.group).toBeUndefined();
      expect(refusal.message).toMatch(/^ResourceQuota "a" is invalid: /);
      expect(refusal.details?.causes?.[0]?.field).toMatch(/^spec\.hard/);
    });

    it('lets one of two concurrent updates win', async () => {
      const made = await bench.create(makeRange('a'), limitRanges);
      const results = await Promise.allSettled(
        ['1', '2', '3'].map((x) =>
          bench.client.update(bench.at(limitRanges, 'a'), { ...made, metadata: { ...made.metadata, labels: { x } } }),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
      for (const result of results) {
        if (result.status === 'rejected') expect((result.reason as StatusError).status.reason).toBe('Conflict');
      }
    });

    it('keeps integers that a number cannot hold', async () => {
      const made = await bench.create(makeMap('a'));
      const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'y' };
      const changed = await bench.client.patch(bench.at(configMaps, 'a'), 'application/merge-patch+json', {
        metadata: { ownerReferences: [owner] },
        data: { big: '9007199254740993' },
      });
      expect(changed).toMatchObject({ data: { big: '9007199254740993' }, metadata: { ownerReferences: [owner] } });
      expect(changed.metadata.uid).toBe(made.metadata.uid);
    });
  });

  it('updates whatever there is when no version is named', async () => {
    for (const [resource, kind, rest] of kindRows) {
      await bench.client.create(bench.all(resource), make(resource, kind, 'a', rest));
      const object = make(resource, kind, 'a', rest);
      object.metadata.labels = { x: 'y' };
      const changed = await Promise.all([1, 2].map(() => bench.client.update(bench.at(resource, 'a'), object)));
      expect(changed.map(({ metadata }) => metadata.labels)).toEqual([{ x: 'y' }, { x: 'y' }]);
    }
  });
}
