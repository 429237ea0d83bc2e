import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEvents } from './service/read-events.ts';
import type { WatchedEvent } from './service/read-events.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';
import { makeRandom } from './store/random.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const ROUNDS = isSoak ? 30 : 3;
const WRITERS = 8;
const PATH = '/api/v1/namespaces/default/configmaps';

/** What one writer did, one `TYPE NAME TOKEN` a write, in order. */
interface WriterLog {
  readonly acknowledged: string[];
  /** The write whose answer never came. */
  underWay: string | undefined;
}

/** Writes without pause until the service is gone. Each writer has names of its own, so that its writes never conflict. */
async function writeUntilGone(
  service: Service,
  writer: string,
  random: () => number,
  log: WriterLog,
  onAck: () => void,
) {
  const tokens = new Map<string, string>();
  for (let i = 0; ; i++) {
    const name = `${writer}-${Math.floor(random() * 5)}`;
    const current = tokens.get(name);
    const isDeletion = current !== undefined && random() < 0.3;
    const token = isDeletion ? current : `t${i}`;
    const type = isDeletion ? 'DELETED' : current === undefined ? 'ADDED' : 'MODIFIED';
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { token } };
    const [method, path] = {
      ADDED: ['POST', PATH],
      MODIFIED: ['PUT', `${PATH}/${name}`],
      DELETED: ['DELETE', `${PATH}/${name}`],
    }[type] as [string, string];
    log.underWay = `${type} ${name} ${token}`;
    const answer = await service.request(method, path, isDeletion ? {} : { body }).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status, answer.text).toBeLessThan(300);
    log.acknowledged.push(log.underWay);
    log.underWay = undefined;
    if (isDeletion) tokens.delete(name);
    else tokens.set(name, token);
    onAck();
  }
}

function describeEvent({ type, object }: WatchedEvent): string {
  return `${type} ${object.metadata.name} ${object['data']?.token}`;
}

function readRevision({ object }: WatchedEvent): number {
  return Number((object.metadata as { resourceVersion?: string }).resourceVersion);
}

it(`loses no acknowledged write and no event over ${ROUNDS} kills`, { timeout: ROUNDS * 100_000 }, async () => {
  const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 1e9) : 7));
  console.log(`seed ${seed}`);
  const random = makeRandom(seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'service-kill-'));
  let service = await startService({ dataDir });
  try {
    const state = new Map<string, string>();
    for (let round = 0; round < ROUNDS; round++) {
      const start = (await service.request('GET', PATH)).json.metadata.resourceVersion as string;
      const events: WatchedEvent[] = [];
      const watch = (revision: string | number) => service.open('GET', `${PATH}?watch=1&resourceVersion=${revision}`);
      const watching = readEvents(await watch(start), events, () => false).catch(() => undefined);

      const killAfter = 1 + Math.floor(random() * 600);
      let acknowledged = 0;
      const killed = Promise.withResolvers<void>();
      const onAck = (): void => {
        if (++acknowledged === killAfter) service.kill().then(killed.resolve, killed.reject);
      };
      const logs = Array.from({ length: WRITERS }, (): WriterLog => ({ acknowledged: [], underWay: undefined }));
      await Promise.all(logs.map((log, i) => writeUntilGone(service, `r${round}w${i}`, random, log, onAck)));
      await killed.promise;
      await watching;

      service = await startService({ dataDir });
      const lastSeen = events.length > 0 ? readRevision(events.at(-1)!) : start;
      const sentinel = `sentinel-${round}`;
      const resumed = await watch(lastSeen);
      await service.request('POST', PATH, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: sentinel } },
      });
      await readEvents(resumed, events, ({ object }) => object.metadata.name === sentinel);
      const last = events.pop();
      expect(last?.object.metadata.name).toBe(sentinel);

      const revisions = events.map(readRevision);
      expect(revisions.every((revision, i) => revision > (i === 0 ? Number(start) : revisions[i - 1]!))).toBe(true);
      for (const [i, log] of logs.entries()) {
        const seen = events.map(describeEvent).filter((line) => line.split(' ')[1]!.startsWith(`r${round}w${i}-`));
        const isUnknownThere = seen.length > log.acknowledged.length && log.underWay !== undefined;
        expect(seen).toEqual(isUnknownThere ? [...log.acknowledged, log.underWay] : log.acknowledged);
      }
      for (const event of events) {
        const name = event.object.metadata.name!;
        if (event.type === 'DELETED') state.delete(name);
        else state.set(name, `${readRevision(event)} ${event.object['data']?.token}`);
      }
      const { items } = (await service.request('GET', PATH)).json as { items: WatchedEvent['object'][] };
      const listed = items
        .filter(({ metadata }) => /^r\d+w/.test(metadata.name!))
        .map(({ metadata, ['data']: data }) => [
          metadata.name!,
          `${(metadata as { resourceVersion?: string }).resourceVersion} ${data.token}`,
        ]);
      expect(new Map(listed as [string, string][])).toEqual(state);
    }
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
