import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let number = 0;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** A collection of its own for each test. */
function makePath(): string {
  number++;
  return `/api/v1/namespaces/w${number}/configmaps`;
}

async function write(path: string, name: string, labels: object = {}): Promise<void> {
  const body = { metadata: { name, labels } };
  const created = await service.send('POST', path, { body });
  if (created.code === 409) await service.send('PUT', `${path}/${name}`, { body });
}

describe('watches', () => {
  it('show the state first, then every change', async () => {
    const path = makePath();
    await write(path, 'a');
    const watch = await service.watch(`${path}?watch=1`);
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'a' } } });
    await write(path, 'b');
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
    await write(path, 'b', { x: 'y' });
    expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { metadata: { labels: { x: 'y' } } } });
    await service.send('DELETE', `${path}/b`);
    const deleted = await watch.next();
    expect(deleted).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'b' } } });
    expect(Number(deleted.object.metadata.resourceVersion)).toBe(service.store.revision);
    watch.close();
  });

  it('begin after a version', async () => {
    const path = makePath();
    await write(path, 'a');
    const version = service.store.revision;
    await write(path, 'b');
    const watch = await service.watch(`${path}?watch=1&resourceVersion=${version}`);
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
    watch.close();
  });

  it('turn changes of what is selected into additions and deletions', async () => {
    const path = makePath();
    const watch = await service.watch(`${path}?watch=1&labelSelector=on`);
    await write(path, 'a');
    await write(path, 'a', { on: '1' });
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { labels: { on: '1' } } } });
    await write(path, 'a', { on: '2' });
    expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { metadata: { labels: { on: '2' } } } });
    await write(path, 'a', { off: '1' });
    const left = await watch.next();
    expect(left).toMatchObject({ type: 'DELETED', object: { metadata: { labels: { on: '2' } } } });
    expect(Number(left.object.metadata.resourceVersion)).toBe(service.store.revision);
    watch.close();
  });

  it('watch one object by field selector and by path', async () => {
    const path = makePath();
    await write(path, 'a');
    await write(path, 'b');
    const byField = await service.watch(`${path}?watch=1&fieldSelector=metadata.name%3Db`);
    const byPath = await service.watch(`${path.replace('/v1/', '/v1/watch/')}/b`);
    for (const watch of [byField, byPath]) {
      expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
      watch.close();
    }
  });

  it('mark the end of the initial state', async () => {
    const path = makePath();
    await write(path, 'a');
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watch = await service.watch(`${path}?watch=1&${query}`);
    expect(await watch.next()).toMatchObject({ type: 'ADDED' });
    expect(await watch.next()).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          resourceVersion: String(service.store.revision),
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
      },
    });
    watch.close();
  });

  it('end at their timeout', async () => {
    const watch = await service.watch(`${makePath()}?watch=1&timeoutSeconds=1`);
    expect(await watch.next()).toBeUndefined();
  });

  it('end at once where their timeout is negative, without a complaint of the runtime', async () => {
    const complaints: Error[] = [];
    const note = (complaint: Error): void => void complaints.push(complaint);
    process.on('warning', note);
    const watch = await service.watch(`${makePath()}?watch=1&timeoutSeconds=-1&allowWatchBookmarks=true`);
    expect(await watch.next()).toBeUndefined();
    process.off('warning', note);
    expect(complaints).toEqual([]);
  });

  it('send Tables, with columns once', async () => {
    const path = makePath();
    await write(path, 'a');
    await write(path, 'b');
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const answer = await service.send('GET', `${path}?watch=1&timeoutSeconds=1`, { headers });
    const frames = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(frames.map(({ object }) => object.columnDefinitions?.length)).toEqual([3, undefined]);
    expect(frames[1].object.rows[0].cells[0]).toBe('b');
  });

  it('report a version that is too old in the stream', async () => {
    const path = makePath();
    await write(path, 'a');
    const version = service.store.revision;
    await write(path, 'b');
    await write(path, 'c');
    await service.store.compact(service.store.revision);
    const watch = await service.watch(`${path}?watch=1&resourceVersion=${version}`);
    expect(watch.code).toBe(200);
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await watch.next()).toBeUndefined();
  });

  it('are refused with bad parameters before they begin', async () => {
    const path = makePath();
    for (const [query, code] of [
      ['resourceVersion=abc', 400],
      ['sendInitialEvents=true', 422],
      ['labelSelector=a%3Db%3Dc', 400],
    ] as const) {
      expect((await service.send('GET', `${path}?watch=1&${query}`)).code).toBe(code);
    }
  });

  it('give a client that reads late everything it missed', async () => {
    const path = makePath();
    const client = service.resources.clientFor({ username: 'w', groups: [] });
    const reference = { resource: { group: '', version: 'v1', resource: 'configmaps' }, namespace: `w${number}` };
    const events = client.watch(reference)[Symbol.asyncIterator]();
    const first = events.next();
    for (let i = 0; i < 600; i += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, j) => write(path, `o${i + j}`)));
    }
    const seen = new Set([(await first).value?.object.metadata.name]);
    while (seen.size < 600) seen.add((await events.next()).value?.object.metadata.name);
    await events.return?.();
    expect(seen.size).toBe(600);
  });

  it('hand a client no more than an object at a time when objects are large', async () => {
    const path = makePath();
    const data = { a: 'x'.repeat(300_000) };
    for (let i = 0; i < 10; i++) {
      await service.send('POST', path, { body: { metadata: { name: `o${i}` }, data } });
    }
    const lengths: number[] = [];
    const record = (message: unknown): void => {
      const { response } = message as { response: ServerResponse };
      const write = response.write.bind(response) as (chunk: Buffer) => boolean;
      response.write = (chunk: Buffer) => {
        lengths.push(chunk.length);
        return write(chunk);
      };
    };
    subscribe('http.server.request.start', record);
    const watch = await service.watch(`${path}?watch=1`);
    unsubscribe('http.server.request.start', record);
    for (let i = 0; i < 10; i++) expect(await watch.next()).toMatchObject({ object: { metadata: { name: `o${i}` } } });
    watch.close();
    expect(lengths).toHaveLength(10);
  });
});
