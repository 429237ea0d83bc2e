import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { resourceQuotaKind } from '../../kinds/core/resource-quota/definition.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { CollectionIndex } from '../../platform/resources/collection-index.ts';
import { EnforceableIndex } from '../enforceable-index.ts';
import { MemoryClient } from '../quota/testdata/memory-client.ts';
import { IndexContributor } from './index-contributor.ts';

const resource = { group: '', version: 'v1', resource: 'resourcequotas' };
const reference = { resource, namespace: 'n', name: 'q' };

function makeQuota(hard: object, used: object, generation = 1): KubeObject {
  const metadata = { name: 'q', namespace: 'n', generation };
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard }, status: { used } } as KubeObject;
}

describe('IndexContributor', () => {
  let client: MemoryClient;
  let index: CollectionIndex<ResourceQuota>;
  let contributor: IndexContributor<ResourceQuota>;
  let looks: number;

  beforeEach(async () => {
    client = new MemoryClient({ comparesVersions: false });
    looks = 0;
    index = new CollectionIndex<ResourceQuota>({
      ...{ client, clock: systemClock, reference: { resource } },
      onFailure: (error) => expect.fail(String(error)),
    });
    const kind = resourceQuotaKind;
    contributor = new IndexContributor({
      ...{ index, enforceable: new EnforceableIndex({ kind, index, domain: 'example.org', clock: systemClock }) },
      plan: () => [],
      isReady: ({ status }) => status?.used?.['pods'] !== undefined,
    });
    await client.create({ resource, namespace: 'n' }, makeQuota({ pods: '1' }, {}));
    await contributor.start();
    contributor.subscribe(() => (looks += 1));
  });

  afterEach(() => contributor.close());

  async function awaitChange(act: () => Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = index.subscribe(() => resolve());
    await act();
    await promise;
    stop();
  }

  const setUsed = (used: object) => () => client.update(reference, makeQuota({}, used), {}, 'status');

  it('asks for a look when an object becomes ready or its spec changes, and not at every charge', async () => {
    expect(contributor.listGoverning()).toEqual([]);
    await awaitChange(setUsed({ pods: '1' }));
    expect([looks, contributor.listGoverning().length]).toEqual([1, 1]);
    await awaitChange(setUsed({ pods: '2' }));
    expect(looks).toBe(1);
    await awaitChange(() => client.delete(reference));
    await awaitChange(() => client.create({ resource, namespace: 'n' }, makeQuota({ pods: '2' }, {}, 2)));
    expect([looks, contributor.listGoverning()]).toEqual([3, []]);
  });
});
