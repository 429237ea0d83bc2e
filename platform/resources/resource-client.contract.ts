import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Status } from '../../core/errors/status.ts';
import { StatusError } from '../../core/errors/status.ts';
import type { JsonObject, JsonValue } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { formatApiVersion, type ResourceName } from '../../core/meta/resource-name.ts';
import type { PatchType, ResourceClient, WatchEvent, WatchOptions } from './resource-client.ts';

/** One driver under test, with the default domain. Namespaces of the tests are made by their own names, so many may share a source. */
export interface ResourceClientUnderTest {
  readonly client: ResourceClient;
  /** Whether `fieldValidation` is looked at: in-process, objects are not decoded from bodies. */
  readonly readsBodies: boolean;
  /** Lets every position up to now expire; absent where that cannot be forced. */
  compact?(): Promise<void>;
}

interface AnyObject extends KubeObject {
  [key: string]: unknown;
}

const namespaces: ResourceName = { group: '', version: 'v1', resource: 'namespaces' };
const configMaps: ResourceName = { group: '', version: 'v1', resource: 'configmaps' };
const limitRanges: ResourceName = { group: '', version: 'v1', resource: 'limitranges' };
const quotas: ResourceName = { group: '', version: 'v1', resource: 'resourcequotas' };
const networkPolicies: ResourceName = { group: 'networking.bailiwick.dev', version: 'v1', resource: 'networkpolicies' };

const kindRows: [ResourceName, string, JsonObject][] = [
  [configMaps, 'ConfigMap', { data: { a: '1' } }],
  [limitRanges, 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] } }],
  [networkPolicies, 'NetworkPolicy', { spec: { podSelector: { matchLabels: { app: 'x' } }, policyTypes: ['Egress'] } }],
];

function make(resource: ResourceName, kind: string, name: string, rest: JsonObject = {}): AnyObject {
  return {
    apiVersion: formatApiVersion(resource.group, resource.version),
    kind,
    metadata: { name },
    ...rest,
  } as AnyObject;
}

const makeMap = (name: string, data: Record<string, string> = {}): AnyObject =>
  make(configMaps, 'ConfigMap', name, { data });

const makeRange = (name: string, cpu = '2'): AnyObject =>
  make(limitRanges, 'LimitRange', name, { spec: { limits: [{ type: 'Container', max: { cpu } }] } });

const makeQuota = (name: string, pods = '1'): AnyObject =>
  make(quotas, 'ResourceQuota', name, { spec: { hard: { pods } } });

/** The Status of the refusal; fails when there is none. */
async function refusalOf(call: Promise<unknown>): Promise<Status> {
  const error: unknown = await call.then(
    (value) => ({ value }),
    (thrown: unknown) => thrown,
  );
  if (error instanceof StatusError) return error.status;
  if (error instanceof Error) throw error;
  throw new Error(`it was no refusal: ${JSON.stringify(error)}`);
}

const names = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name ?? '').toSorted();

/** A watch that is read step by step; `close` ends it. */
class WatchReader {
  readonly #controller = new AbortController();
  readonly #events: AsyncIterator<WatchEvent<AnyObject>>;

  constructor(client: ResourceClient, resource: ResourceName, namespace: string, options: WatchOptions) {
    const reference = { resource, namespace };
    const watch = client.watch<AnyObject>(reference, { ...options, signal: this.#controller.signal });
    this.#events = watch[Symbol.asyncIterator]();
  }

  /** The next event but bookmarks; `undefined` at the end. */
  async next(): Promise<WatchEvent<AnyObject> | undefined> {
    for (;;) {
      const step = await this.#events.next();
      if (step.done === true) return undefined;
      if (step.value.type !== 'BOOKMARK') return step.value;
    }
  }

  async nextLine(): Promise<string | undefined> {
    const event = await this.next();
    return event === undefined ? undefined : `${event.type} ${event.object.metadata.name}`;
  }

  /** The next event, bookmarks too. */
  async nextAny(): Promise<WatchEvent<AnyObject> | undefined> {
    const step = await this.#events.next();
    return step.done === true ? undefined : step.value;
  }

  async close(): Promise<void> {
    this.#controller.abort();
    while ((await this.#events.next()).done !== true);
  }
}

/** The contract that every driver of ResourceClient fulfils. */
export function describeResourceClient(
  name: string,
  open: () => Promise<{ subject: ResourceClientUnderTest; dispose: () => Promise<void> }>,
): void {
  describe(`resource client: ${name}`, () => {
    let subject: ResourceClientUnderTest;
    let client: ResourceClient;
    let dispose: () => Promise<void>;
    let namespace: string;
    let watches: WatchReader[];

    beforeEach(async () => {
      ({ subject, dispose } = await open());
      ({ client } = subject);
      watches = [];
      const made = await client.create({ resource: namespaces }, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { generateName: 'contract-' },
      } as AnyObject);
      namespace = made.metadata.name ?? '';
    });
    afterEach(async () => {
      await Promise.all(watches.map((watch) => watch.close()));
      await dispose();
    });

    const at = (resource: ResourceName, objectName: string) => ({ resource, namespace, name: objectName });
    const all = (resource: ResourceName) => ({ resource, namespace });
    const create = (object: AnyObject, resource = configMaps) => client.create(all(resource), object);
    const watch = (options: WatchOptions, resource = configMaps): WatchReader => {
      const reader = new WatchReader(client, resource, namespace, options);
      watches.push(reader);
      return reader;
    };
    const listVersion = async (resource = configMaps): Promise<string> =>
      (await client.list(all(resource))).metadata.resourceVersion ?? '';

    describe.for(kindRows)('%s', ([resource, kind, rest]) => {
      it('creates, gets, lists, updates and deletes an object under its own name', async () => {
        const apiVersion = formatApiVersion(resource.group, resource.version);
        const object = make(resource, kind, 'a', rest);
        const made = await client.create<AnyObject>(all(resource), object);
        expect(made).toMatchObject({ apiVersion, kind, metadata: { name: 'a', namespace }, ...rest });
        expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
        expect(made.metadata.managedFields).toMatchObject([{ apiVersion, operation: 'Update' }]);
        expect(object).toEqual(make(resource, kind, 'a', rest));

        expect(await client.get(at(resource, 'a'))).toEqual(made);
        const list = await client.list(all(resource));
        expect(list.items).toEqual([made]);
        expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(made.metadata.resourceVersion));
        expect(list.metadata.continue ?? '').toBe('');

        const changed = await client.update<AnyObject>(at(resource, 'a'), {
          ...made,
          metadata: { ...made.metadata, labels: { x: 'y' } },
        });
        expect(changed).toMatchObject({ apiVersion, kind, metadata: { uid: made.metadata.uid, labels: { x: 'y' } } });
        expect(changed.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);

        const gone = await client.delete(at(resource, 'a'));
        expect(gone).toMatchObject({ apiVersion, kind, metadata: { name: 'a', namespace, uid: made.metadata.uid } });
        expect((await client.list(all(resource))).items).toEqual([]);
      });

      it('refuses what is absent, present or outdated', async () => {
        const { group, resource: plural } = resource;
        const subjectText = group === '' ? plural : `${plural}.${group}`;
        const details = { name: 'a', kind: plural, ...(group === '' ? {} : { group }) };
        const notFound = { code: 404, reason: 'NotFound', message: `${subjectText} "a" not found`, details };
        const failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
        expect(await refusalOf(client.get(at(resource, 'a')))).toEqual({ ...failure, ...notFound });
        expect(await refusalOf(client.delete(at(resource, 'a')))).toEqual({ ...failure, ...notFound });
        const patch = client.patch(at(resource, 'a'), 'application/merge-patch+json', {});
        expect(await refusalOf(patch)).toEqual({ ...failure, ...notFound });

        const made = await client.create<AnyObject>(all(resource), make(resource, kind, 'a', rest));
        expect(await refusalOf(client.create(all(resource), make(resource, kind, 'a', rest)))).toEqual({
          ...failure,
          code: 409,
          reason: 'AlreadyExists',
          message: `${subjectText} "a" already exists`,
          details,
        });
        const labelled = { ...made, metadata: { ...made.metadata, labels: { x: 'y' } } };
        await client.update(at(resource, 'a'), labelled);
        expect(await refusalOf(client.update(at(resource, 'a'), labelled))).toEqual({
          ...failure,
          code: 409,
          reason: 'Conflict',
          message: `Operation cannot be fulfilled on ${subjectText} "a": the object has been modified; please apply your changes to the latest version and try again`,
          details,
        });
      });

      it('watches an object under its own name', async () => {
        const apiVersion = formatApiVersion(resource.group, resource.version);
        const reader = watch({ resourceVersion: await listVersion(resource) }, resource);
        const made = await client.create<AnyObject>(all(resource), make(resource, kind, 'a', rest));
        const changed = await client.patch(at(resource, 'a'), 'application/merge-patch+json', {
          metadata: { labels: { x: 'y' } },
        });
        await client.delete(at(resource, 'a'));
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
        const [first, second] = await Promise.all([create(object), create(object)]);
        expect(first.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
        expect(second.metadata.name).not.toBe(first.metadata.name);
      });

      it('stores nothing in a dry run', async () => {
        const dry = { dryRun: ['All'] };
        expect((await client.create(all(limitRanges), makeRange('a'), dry)).metadata.uid).toBeDefined();
        expect(await refusalOf(client.get(at(limitRanges, 'a')))).toMatchObject({ code: 404 });
        const made = await create(makeRange('a'), limitRanges);
        const changed = { ...made, metadata: { ...made.metadata, labels: { x: 'y' } } };
        expect((await client.update(at(limitRanges, 'a'), changed, dry)).metadata.labels).toEqual({ x: 'y' });
        const patch = { metadata: { labels: { x: 'y' } } };
        await client.patch(at(limitRanges, 'a'), 'application/merge-patch+json', patch, dry);
        await client.delete(at(limitRanges, 'a'), dry);
        expect(await client.get(at(limitRanges, 'a'))).toEqual(made);
      });

      it('names the manager of the fields', async () => {
        const made = await client.create(all(quotas), makeQuota('a'), { fieldManager: 'chosen' });
        expect(made.metadata.managedFields).toMatchObject([{ manager: 'chosen', apiVersion: 'v1' }]);
      });

      it('refuses unknown fields when that is asked for, and drops them otherwise', async ({ skip }) => {
        if (!subject.readsBodies) return skip();
        const object = { ...makeRange('a'), surprise: 1 } as AnyObject;
        const strict = client.create(all(limitRanges), object, { fieldValidation: 'Strict' });
        const refusal = await refusalOf(strict);
        expect(refusal).toMatchObject({ code: 400, reason: 'BadRequest' });
        expect(refusal.message).toContain('unknown field "surprise"');
        expect(await client.create(all(limitRanges), object, { fieldValidation: 'Ignore' })).not.toHaveProperty(
          'surprise',
        );
      });

      it('refuses an object without a name', async () => {
        const refusal = await refusalOf(create({ ...makeQuota(''), metadata: {} }, quotas));
        expect(refusal).toMatchObject({ code: 422, reason: 'Invalid', details: { kind: 'ResourceQuota' } });
        expect(refusal.details?.group).toBeUndefined();
        expect(refusal.message).toContain('ResourceQuota "" is invalid: ');
        expect(refusal.message).toContain('name or generateName is required');
      });

      it('refuses an option it does not know', async () => {
        const call = client.create(all(configMaps), makeMap('a'), { dryRun: ['Some'] });
        expect(await refusalOf(call)).toMatchObject({
          code: 422,
          reason: 'Invalid',
          details: { kind: 'CreateOptions' },
        });
      });

      it('names the field of an invalid object', async () => {
        const bad = make(quotas, 'ResourceQuota', 'a', { spec: { hard: { pods: '-1' } } });
        const refusal = await refusalOf(create(bad, quotas));
        expect(refusal).toMatchObject({ code: 422, reason: 'Invalid', details: { name: 'a', kind: 'ResourceQuota' } });
        expect(refusal.details?.group).toBeUndefined();
        expect(refusal.message).toMatch(/^ResourceQuota "a" is invalid: /);
        expect(refusal.details?.causes?.[0]?.field).toMatch(/^spec\.hard/);
      });

      it('lets one of two concurrent updates win', async () => {
        const made = await create(makeRange('a'), limitRanges);
        const results = await Promise.allSettled(
          ['1', '2', '3'].map((x) =>
            client.update(at(limitRanges, 'a'), { ...made, metadata: { ...made.metadata, labels: { x } } }),
          ),
        );
        expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
        for (const result of results) {
          if (result.status === 'rejected') expect((result.reason as StatusError).status.reason).toBe('Conflict');
        }
      });

      it('keeps integers that a number cannot hold', async () => {
        const made = await create(makeMap('a'));
        const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'y' };
        const changed = await client.patch(at(configMaps, 'a'), 'application/merge-patch+json', {
          metadata: { ownerReferences: [owner] },
          data: { big: '9007199254740993' },
        });
        expect(changed).toMatchObject({ data: { big: '9007199254740993' }, metadata: { ownerReferences: [owner] } });
        expect(changed.metadata.uid).toBe(made.metadata.uid);
      });
    });

    it('updates whatever there is when no version is named', async () => {
      for (const [resource, kind, rest] of kindRows) {
        await client.create(all(resource), make(resource, kind, 'a', rest));
        const object = make(resource, kind, 'a', rest);
        object.metadata.labels = { x: 'y' };
        const changed = await Promise.all([1, 2].map(() => client.update(at(resource, 'a'), object)));
        expect(changed.map(({ metadata }) => metadata.labels)).toEqual([{ x: 'y' }, { x: 'y' }]);
      }
    });

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
        await create(quota, quotas);
        const options = type === 'application/apply-patch+yaml' ? { fieldManager: 'me', force: true } : {};
        expect(await client.patch(at(quotas, 'a'), type, patch, options)).toMatchObject({
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          spec: { hard },
        });
        expect(await client.get(at(quotas, 'a'))).toMatchObject({ spec: { hard } });
      });

      it('merges lists by their keys in a strategic merge patch', async () => {
        await create(makeMap('owner'));
        await create(makeRange('a'), limitRanges);
        const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid });
        for (const uid of ['1', '2']) {
          await client.patch(at(limitRanges, 'a'), 'application/strategic-merge-patch+json', {
            metadata: { ownerReferences: [owner(uid)] },
          });
        }
        const { metadata } = await client.get(at(limitRanges, 'a'));
        expect(metadata.ownerReferences?.map(({ uid }) => uid).toSorted()).toEqual(['1', '2']);
        const conflicting = { metadata: { resourceVersion: '1', labels: { x: 'y' } } };
        const call = client.patch(at(limitRanges, 'a'), 'application/strategic-merge-patch+json', conflicting);
        expect(await refusalOf(call)).toMatchObject({ code: 409, reason: 'Conflict' });
      });

      it('creates by apply, and refuses a field that another owns', async () => {
        const apply = (manager: string, pods: string, force?: boolean) =>
          client.patch(
            at(quotas, 'a'),
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
        const made = await create(makeMap('a'));
        const bound = (version = '') =>
          client.patch(at(configMaps, 'a'), 'application/merge-patch+json', {
            metadata: { resourceVersion: version },
            data: { x: version },
          });
        const changed = await bound(made.metadata.resourceVersion);
        expect(await refusalOf(bound(made.metadata.resourceVersion))).toMatchObject({ code: 409, reason: 'Conflict' });
        expect((await bound(changed.metadata.resourceVersion)).metadata.uid).toBe(made.metadata.uid);
      });

      it('refuses a patch that does not fit', async () => {
        await create(makeRange('a'), limitRanges);
        const patch = [{ op: 'test', path: '/metadata/name', value: 'b' }];
        const call = client.patch(at(limitRanges, 'a'), 'application/json-patch+json', patch);
        expect(await refusalOf(call)).toMatchObject({ code: 422, reason: 'Invalid' });
      });
    });

    describe('the status subresource', () => {
      it('is read and written apart from the rest', async () => {
        const made = await client.create<AnyObject>(all(quotas), {
          ...makeQuota('a'),
          status: { used: { pods: '7' } },
        } as AnyObject);
        expect(made['status'] ?? {}).toEqual({});
        const status = { hard: { pods: '1' }, used: { pods: '0' } };
        const changed = { ...made, spec: { hard: { pods: '9' } }, status } as AnyObject;
        const updated = await client.update<AnyObject>(at(quotas, 'a'), changed, undefined, 'status');
        expect(updated).toMatchObject({ apiVersion: 'v1', spec: { hard: { pods: '1' } }, status });
        const patched = await client.patch(
          at(quotas, 'a'),
          'application/merge-patch+json',
          { status: { used: { pods: '1' } } },
          undefined,
          'status',
        );
        expect(patched).toMatchObject({ status: { hard: { pods: '1' }, used: { pods: '1' } } });
        expect(await client.get(at(quotas, 'a'), undefined, 'status')).toEqual(patched);
        const entry = updated.metadata.managedFields?.find(({ subresource }) => subresource === 'status');
        expect(entry?.apiVersion).toBe('v1');
        expect(await refusalOf(client.update(at(quotas, 'a'), changed, undefined, 'status'))).toMatchObject({
          code: 409,
          reason: 'Conflict',
        });
      });

      it('is there only for kinds that have one', async () => {
        const made = await create(makeRange('a'), limitRanges);
        const call = client.update(at(limitRanges, 'a'), made, undefined, 'status');
        expect(await refusalOf(call)).toMatchObject({ code: 404, reason: 'NotFound' });
      });
    });

    describe('deletions', () => {
      it('keeps an object that finalizers hold', async () => {
        const object = { ...makeMap('a'), metadata: { name: 'a', finalizers: ['example.com/hold'] } };
        await create(object);
        const marked = await client.delete(at(configMaps, 'a'));
        expect(marked.metadata.deletionTimestamp).toBeDefined();
        expect(marked.metadata.finalizers).toEqual(['example.com/hold']);
        await client.patch(at(configMaps, 'a'), 'application/merge-patch+json', { metadata: { finalizers: null } });
        expect(await refusalOf(client.get(at(configMaps, 'a')))).toMatchObject({ code: 404 });
      });

      it('holds to preconditions', async () => {
        const made = await create(makeMap('a'));
        for (const preconditions of [{ uid: '00000000-0000-0000-0000-000000000000' }, { resourceVersion: '1' }]) {
          const refusal = await refusalOf(client.delete(at(configMaps, 'a'), { preconditions }));
          expect(refusal).toMatchObject({ code: 409, reason: 'Conflict', details: { name: 'a' } });
          expect(refusal.message).toContain('in the precondition');
        }
        const { uid, resourceVersion } = made.metadata;
        await client.delete(at(configMaps, 'a'), {
          preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
        });
        expect((await client.list(all(configMaps))).items).toEqual([]);
      });

      it('refuses a policy it does not know', async () => {
        await create(makeMap('a'));
        const call = client.delete(at(configMaps, 'a'), { propagationPolicy: 'Sideways' });
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
          await create(object, limitRanges);
        }
        await client.deleteCollection(all(limitRanges), { labelSelector: 'keep!=true' }, { dryRun: ['All'] });
        expect(names((await client.list(all(limitRanges))).items)).toEqual(['a', 'b', 'c']);
        await client.deleteCollection(all(limitRanges), { labelSelector: 'keep!=true' });
        expect(names((await client.list(all(limitRanges))).items)).toEqual(['b']);
        await client.deleteCollection(all(limitRanges));
        expect((await client.list(all(limitRanges))).items).toEqual([]);
      });
    });

    describe('lists', () => {
      it('selects by labels and fields', async () => {
        for (const n of ['a', 'b', 'c']) {
          const object = makeQuota(n);
          object.metadata.labels = { n };
          await create(object, quotas);
        }
        const select = async (options: object) => names((await client.list(all(quotas), options)).items);
        expect(await select({ labelSelector: 'n in (a,c)' })).toEqual(['a', 'c']);
        expect(await select({ fieldSelector: 'metadata.name=b' })).toEqual(['b']);
        expect(await select({ fieldSelector: 'metadata.name!=b', labelSelector: 'n!=a' })).toEqual(['c']);
        for (const options of [{ labelSelector: 'a in' }, { fieldSelector: 'spec.nothing=1' }]) {
          expect(await refusalOf(client.list(all(quotas), options))).toMatchObject({ code: 400, reason: 'BadRequest' });
        }
      });

      it('shows a collection of every namespace', async () => {
        await create(makeRange('everywhere'), limitRanges);
        const { items } = await client.list({ resource: limitRanges }, { fieldSelector: 'metadata.name=everywhere' });
        expect(items.map((item) => item.metadata.namespace)).toContain(namespace);
      });

      it('gives consistent pages', async () => {
        const made = ['a', 'b', 'c', 'd', 'e'];
        for (const n of made) await create(makeRange(n), limitRanges);
        const seen: string[] = [];
        let token: string | undefined;
        let pages = 0;
        const versions = new Set<string>();
        do {
          const page = await client.list(all(limitRanges), {
            limit: 2,
            ...(token === undefined ? {} : { continue: token }),
          });
          seen.push(...page.items.map(({ metadata }) => metadata.name ?? ''));
          versions.add(page.metadata.resourceVersion ?? '');
          token = page.metadata.continue === '' ? undefined : page.metadata.continue;
          if (pages === 0) {
            expect(page.metadata.remainingItemCount).toBe(3);
            await create(makeRange('b1'), limitRanges);
            await client.delete(at(limitRanges, 'e'));
          }
          pages += 1;
        } while (token !== undefined);
        expect(seen).toEqual(made);
        expect(pages).toBe(3);
        expect(versions.size).toBe(1);
      });

      it('reads at a version', async () => {
        const made = await create(makeRange('a'), limitRanges);
        await create(makeRange('b'), limitRanges);
        const { resourceVersion = '' } = made.metadata;
        const then = await client.list(all(limitRanges), { resourceVersion, resourceVersionMatch: 'Exact' });
        expect(names(then.items)).toEqual(['a']);
        expect(then.metadata.resourceVersion).toBe(resourceVersion);
        const since = await client.list(all(limitRanges), { resourceVersion, resourceVersionMatch: 'NotOlderThan' });
        expect(names(since.items)).toContain('a');
        expect(names((await client.list(all(limitRanges), { resourceVersion: '0' })).items)).toContain('a');
        const call = client.list(all(limitRanges), { resourceVersionMatch: 'Exact' });
        expect(await refusalOf(call)).toMatchObject({ code: 422, details: { kind: 'ListOptions' } });
        expect(await client.get(at(limitRanges, 'a'), { resourceVersion })).toEqual(made);
      });

      it('expires a page that is turned too late', async ({ skip }) => {
        if (subject.compact === undefined) return skip();
        for (const n of ['a', 'b', 'c']) await create(makeRange(n), limitRanges);
        const first = await client.list(all(limitRanges), { limit: 1 });
        const token = first.metadata.continue ?? '';
        await create(makeMap('later'));
        await subject.compact();
        const refusal = await refusalOf(client.list(all(limitRanges), { limit: 1, continue: token }));
        expect(refusal).toMatchObject({ code: 410, reason: 'Expired' });
        const rest = await client.list(all(limitRanges), { continue: refusal.metadata.continue ?? '' });
        expect(names(rest.items)).toEqual(['b', 'c']);
      });
    });

    describe('watches', () => {
      it('begin with the state when no version is named', async () => {
        await create(makeMap('a'));
        const reader = watch({});
        const seen = [];
        // A namespace of a host's gets a ConfigMap of its own.
        for (let line = await reader.nextLine(); line !== undefined; line = await reader.nextLine()) {
          seen.push(line);
          if (line === 'ADDED a') break;
        }
        expect(seen).toContain('ADDED a');
        await create(makeMap('b'));
        expect(await reader.nextLine()).toBe('ADDED b');
      });

      it('resume where they broke off', async () => {
        const version = await listVersion();
        const first = watch({ resourceVersion: version });
        await create(makeMap('a'));
        const seen = await first.next();
        await first.close();
        await create(makeMap('b'));
        await client.delete(at(configMaps, 'a'));
        const second = watch({ resourceVersion: seen?.object.metadata.resourceVersion ?? '' });
        expect([await second.nextLine(), await second.nextLine()]).toEqual(['ADDED b', 'DELETED a']);
      });

      it('say when the initial state is whole', async () => {
        await create(makeRange('a'), limitRanges);
        const reader = watch(
          { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true },
          limitRanges,
        );
        expect(await reader.nextAny()).toMatchObject({
          type: 'ADDED',
          object: { apiVersion: 'v1', metadata: { name: 'a' } },
        });
        expect(await reader.nextAny()).toMatchObject({
          type: 'BOOKMARK',
          object: {
            apiVersion: 'v1',
            kind: 'LimitRange',
            metadata: {
              annotations: { 'k8s.io/initial-events-end': 'true' },
              resourceVersion: expect.stringMatching(/^\d+$/),
            },
          },
        });
      });

      it('follow a selection as objects enter and leave it', async () => {
        const reader = watch({ resourceVersion: await listVersion(), labelSelector: 'in=yes' });
        await create(makeMap('a'));
        const label = (value: string | null) =>
          client.patch(at(configMaps, 'a'), 'application/merge-patch+json', { metadata: { labels: { in: value } } });
        await label('yes');
        await label('no');
        await label('yes');
        await client.delete(at(configMaps, 'a'));
        const lines = [];
        for (let i = 0; i < 4; i += 1) lines.push(await reader.nextLine());
        expect(lines).toEqual(['ADDED a', 'DELETED a', 'ADDED a', 'DELETED a']);
      });

      it('follow one object by its name', async () => {
        const reader = watch({ resourceVersion: await listVersion(), fieldSelector: 'metadata.name=b' });
        for (const n of ['a', 'b', 'c']) await create(makeMap(n));
        await client.delete(at(configMaps, 'b'));
        expect([await reader.nextLine(), await reader.nextLine()]).toEqual(['ADDED b', 'DELETED b']);
      });

      it('carry large objects, and many in a row, whole and in order', async () => {
        const reader = watch({ resourceVersion: await listVersion() });
        const text = 'ä€𝄞"\\\n'.repeat(40_000);
        await create(makeMap('large', { text }));
        for (let i = 0; i < 50; i += 1) await create(makeMap(`m-${String(i).padStart(2, '0')}`));
        expect((await reader.next())?.object['data']).toEqual({ text });
        const lines = [];
        for (let i = 0; i < 50; i += 1) lines.push(await reader.nextLine());
        expect(lines).toEqual(Array.from({ length: 50 }, (_, i) => `ADDED m-${String(i).padStart(2, '0')}`));
      });

      it('end after their time', async () => {
        const reader = watch({ resourceVersion: await listVersion(), timeoutSeconds: 1 });
        expect(await reader.next()).toBeUndefined();
      });

      it('end when they are aborted, before and after they began', async () => {
        const controller = new AbortController();
        const iterate = async (signal: AbortSignal): Promise<number> => {
          let count = 0;
          for await (const event of client.watch(all(configMaps), { resourceVersion: '0', signal })) {
            count += event.type === 'BOOKMARK' ? 0 : 1;
            controller.abort();
          }
          return count;
        };
        await create(makeMap('a'));
        expect(await iterate(controller.signal)).toBe(1);
        expect(await iterate(controller.signal)).toBe(0);
      });

      it('refuse options that contradict each other', async () => {
        const begin = async () => watch({ sendInitialEvents: true }).next();
        expect(await refusalOf(begin())).toMatchObject({ code: 422, details: { kind: 'ListOptions' } });
      });

      it('refuse a version that has expired', async ({ skip }) => {
        if (subject.compact === undefined) return skip();
        const version = (await create(makeMap('a'))).metadata.resourceVersion ?? '';
        await create(makeMap('b'));
        await subject.compact();
        const refusal = await refusalOf(watch({ resourceVersion: version }).next());
        expect(refusal).toMatchObject({ code: 410, reason: 'Expired' });
      });
    });
  });
}
