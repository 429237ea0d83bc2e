import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { ManualClock } from '../../../platform/process/manual-clock.ts';
import { openSqliteStore, type SqliteStore } from '../../../platform/store/sqlite-store.ts';
import { parseRequestInfo } from '../request-info.ts';
import { StoredObjects } from './stored-objects.ts';

let folder: string;
let store: SqliteStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stored-objects-'));
  store = await openSqliteStore({ file: join(folder, 'store.db') });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function put(key: string, bytes: number): Promise<void> {
  await store.commit({ type: 'create', key, encode: () => Buffer.alloc(bytes, 'x') });
}

const read = (path: string) => parseRequestInfo('GET', path, new URLSearchParams());

it('counts what is stored of a kind now, and knows its size for some seconds', async () => {
  const clock = new ManualClock();
  const objects = new StoredObjects(store, buildKindRegistry('bailiwick.dev'), () => clock.now());
  const maps = read('/api/v1/namespaces/a/configmaps');
  expect(objects.find(maps)).toEqual({ objects: 0, averageBytes: 0 });
  await put('/core/configmaps/a/one', 100);
  await put('/core/configmaps/b/two', 300);
  await put('/core/secrets/a/one', 9000);
  expect(objects.find(maps)).toEqual({ objects: 2, averageBytes: 200 });
  await put('/core/configmaps/a/three', 2000);
  expect(objects.find(maps)).toEqual({ objects: 3, averageBytes: 200 });
  clock.advance(10_000);
  expect(objects.find(maps)).toEqual({ objects: 3, averageBytes: 800 });
});

it.for([
  '/api/v1/nothing',
  '/apis/review.bailiwick.dev/v1/flowreviews',
  '/apis/authorization.k8s.io/v1/subjectaccessreviews',
])('knows nothing of what is not stored: %s', (path) => {
  expect(new StoredObjects(store, buildKindRegistry('bailiwick.dev'), () => 0).find(read(path))).toBeUndefined();
});
