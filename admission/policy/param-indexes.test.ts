import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { MemoryClient } from '../quota/testdata/memory-client.ts';
import { ParamIndexes } from './param-indexes.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const configMapKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const otherKind = { apiVersion: 'v1', kind: 'Other' };
const resolveKind = async ({ kind }: { kind?: string }) =>
  kind === 'ConfigMap' ? { resource: configMaps, namespaced: true } : undefined;

let client: MemoryClient;
let watches: number;
let indexes: ParamIndexes;

beforeEach(async () => {
  watches = 0;
  client = new MemoryClient({
    pause: async (verb) => {
      if (verb === 'list') watches++;
    },
  });
  indexes = new ParamIndexes({ client, clock: systemClock, resolveKind, onFailure: () => undefined });
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' } };
  await client.create({ resource: configMaps, namespace: 'ns' }, object);
});
afterEach(() => indexes.close());

it('finds objects of a kind when it is first asked, and follows it once', async () => {
  for (let i = 0; i < 2; i++) {
    const source = await indexes.find(configMapKind);
    if (source.fault !== undefined) throw new Error(source.fault);
    expect(source.namespaced).toBe(true);
    expect(source.get('a', 'ns')?.metadata.name).toBe('a');
    expect([source.list('ns').length, source.list('other').length]).toEqual([1, 0]);
  }
  expect(watches).toBe(1);
});

it('says which kind nobody serves', async () => {
  expect(await indexes.find(otherKind)).toEqual({
    fault: "failed to find resource referenced by paramKind: '/v1, Kind=Other'",
  });
});

it('follows what is needed, and no more', async () => {
  await indexes.keep([configMapKind, otherKind]);
  await indexes.find(configMapKind);
  expect(watches).toBe(1);
  await indexes.keep([]);
  await indexes.find(configMapKind);
  expect(watches).toBe(2);
});

it('does not wait for ever', async () => {
  const clock = new ManualClock();
  const { promise: never } = Promise.withResolvers<void>();
  const stuck = new ParamIndexes({
    client: new MemoryClient({ pause: () => never }),
    clock,
    resolveKind,
    onFailure: () => undefined,
  });
  const found = stuck.find(configMapKind);
  while (clock.pendingCount === 0) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1_000);
  expect(await found).toEqual({
    fault: 'paramKind kind `&ParamKind{APIVersion:v1,Kind:ConfigMap,}` not yet synced to use for admission',
  });
});
