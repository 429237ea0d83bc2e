import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../core/meta/kube-object.ts';
import { limitRangeKind } from '../kinds/core/limit-range/definition.ts';
import { resourceQuotaKind } from '../kinds/core/resource-quota/definition.ts';
import type { LimitRange } from '../kinds/core/limit-range/schema.ts';
import { CollectionIndex } from '../platform/resources/collection-index.ts';
import { systemClock } from '../platform/process/clock.ts';
import { checkEnforceable } from './check-enforceable.ts';
import { EnforceableIndex } from './enforceable-index.ts';
import { MemoryClient } from './quota/testdata/memory-client.ts';

const resource = { group: '', version: 'v1', resource: 'limitranges' };

function makeRange(name: string, limits: object[], generation = 1): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name, namespace: 'n', generation },
    spec: { limits },
  } as KubeObject;
}

const bad = [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }];

describe('EnforceableIndex', () => {
  let client: MemoryClient;
  let index: CollectionIndex<LimitRange>;
  let ranges: EnforceableIndex<LimitRange>;
  let reports: [string, number | undefined][];

  beforeEach(async () => {
    client = new MemoryClient({ comparesVersions: false });
    reports = [];
    index = new CollectionIndex<LimitRange>({
      client,
      clock: systemClock,
      reference: { resource },
      onFailure: (error) => expect.fail(String(error)),
    });
    ranges = new EnforceableIndex({
      kind: limitRangeKind,
      index,
      domain: 'example.org',
      clock: systemClock,
      onInvalid: (object, faults) => {
        expect(faults[0]).toContain('spec.limits[0].min[cpu]: Invalid value: "2"');
        reports.push([object.metadata.name ?? '', object.metadata.generation]);
      },
    });
    await client.create(
      { resource, namespace: 'n' },
      makeRange('good', [{ type: 'Container', max: { cpu: '2000m' } }]),
    );
    await client.create({ resource, namespace: 'n' }, makeRange('bad', bad));
    await index.start();
  });

  afterEach(() => index.close());

  async function awaitChange(act: () => Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = ranges.subscribe(() => resolve());
    await act();
    await promise;
    stop();
  }

  it('lists what is valid, in canonical form and with defaults', () => {
    expect(ranges.list('n').map(({ spec }) => spec.limits)).toEqual([
      [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '2' }, defaultRequest: { cpu: '2' } }],
    ]);
    expect(ranges.list('other')).toEqual([]);
    expect(ranges.list()).toHaveLength(1);
    expect(ranges.get('good', 'n')?.metadata.name).toBe('good');
    expect(ranges.get('bad', 'n')).toBeUndefined();
    expect(ranges.listInvalid().map(({ object }) => object.metadata.name)).toEqual(['bad']);
    expect(ranges.list('n')[0]).toBe(ranges.get('good', 'n'));
  });

  it('tells of what is not, once a generation', async () => {
    const reference = { resource, namespace: 'n', name: 'bad' };
    expect(reports).toEqual([['bad', 1]]);
    await awaitChange(() => client.update(reference, makeRange('bad', bad)));
    expect(reports).toHaveLength(1);
    await awaitChange(() => client.delete(reference));
    await awaitChange(() => client.create({ resource, namespace: 'n' }, makeRange('bad', bad, 2)));
    expect(reports).toEqual([
      ['bad', 1],
      ['bad', 2],
    ]);
    await awaitChange(() => client.update(reference, makeRange('bad', [{ type: 'Pod', max: { cpu: '1' } }])));
    expect(ranges.list('n')).toHaveLength(2);
  });
});

describe('checkEnforceable', () => {
  const context = { domain: 'example.org', nowMillis: 0 };

  it('takes what does not decode as invalid', () => {
    const { faults } = checkEnforceable(limitRangeKind, makeRange('strange', 'none' as unknown as object[]), context);
    expect(faults?.join()).toContain('cannot unmarshal string');
  });

  it('keeps what a status holds beside the schema', () => {
    const claims = [{ uid: 'u' }];
    const status = { hard: { pods: 2 }, claims };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: {}, status } as KubeObject;
    const { object } = checkEnforceable(resourceQuotaKind, quota, context);
    expect(object?.status).toEqual({ hard: { pods: '2' }, claims });
  });
});
