import { once } from 'node:events';
import type { ReadStream } from 'node:fs';
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { createMetricsRegistry } from '../../platform/process/metrics.ts';
import type { CheckpointRecord } from '../checkpoint/checkpoint-record.ts';
import { buildArchiveRoutes } from './archive-routes.ts';
import type { CheckpointService } from './checkpoint-service.ts';
import { RequestMetrics } from './request-metrics.ts';
import { serveRequests } from './serve-requests.ts';

const archiveBytes = 64 << 20;
let folder: string;
let file: string;
const servers: Server[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-routes-'));
  file = join(folder, 'archive.tar');
  await writeFile(file, '');
  await truncate(file, archiveBytes);
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The routes of a node with one large archive, `n/a`. */
async function serve() {
  const clock = new ManualClock();
  let openCount = 0;
  let latest: ReadStream | undefined;
  const checkpoints: Pick<CheckpointService, 'openArchive'> = {
    async openArchive() {
      const handle = await open(file);
      openCount += 1;
      return {
        ...{ record: { name: 'a', namespace: 'n' } as CheckpointRecord, sizeBytes: archiveBytes },
        read(range) {
          latest = handle.createReadStream({ ...range, highWaterMark: 64 << 10 });
          return latest;
        },
        async close() {
          openCount -= 1;
          await handle.close();
        },
      };
    },
  };
  const routes = buildArchiveRoutes({ checkpoints: checkpoints as CheckpointService, domain: 'acme.example', clock });
  const listener = serveRequests({
    ...{ routes, guard: { check: async () => ({ user: { username: 'somebody', groups: [] } }) } },
    ...{ logger: createSilentLogger(), metrics: new RequestMetrics(createMetricsRegistry()) },
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (): Promise<IncomingMessage> => {
    const sent = get({ host: '127.0.0.1', port, path: '/checkpoints/n/a/archive', agent: new Agent() });
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    return answer;
  };
  return { ask, clock, readOpenCount: () => openCount, readSentBytes: () => latest?.bytesRead ?? 0 };
}

/** Lets the server send what it can. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100));
}

function pass(clock: ManualClock, seconds: number): void {
  for (let i = 0; i < seconds; i += 5) clock.advance(5_000);
}

describe('the archive of a checkpoint', () => {
  it('is sent whole to who takes it', async () => {
    const { ask, readOpenCount } = await serve();
    let bytes = 0;
    for await (const chunk of await ask()) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(archiveBytes);
    await expect.poll(readOpenCount).toBe(0);
  });

  it('is not held open for a reader that takes nothing for a minute', async () => {
    const { ask, clock, readOpenCount } = await serve();
    const answer = await ask();
    await settle();
    pass(clock, 60);
    expect(readOpenCount()).toBe(1);
    const closed = new Promise((resolve) => answer.once('close', resolve));
    pass(clock, 60);
    answer.resume();
    await closed;
    expect(answer.complete).toBe(false);
    await expect.poll(readOpenCount).toBe(0);
  });

  it('is sent to a reader that takes its time', async () => {
    const { ask, clock, readOpenCount, readSentBytes } = await serve();
    const answer = await ask();
    for (let i = 0; i < 5; i += 1) {
      const before = readSentBytes();
      let bytes = 0;
      // More than the sockets between them hold.
      while (bytes < 12 << 20) {
        const chunk = answer.read() as Buffer | null;
        if (chunk === null) await once(answer, 'readable');
        else bytes += chunk.length;
      }
      await expect.poll(readSentBytes).toBeGreaterThan(before + (1 << 20));
      pass(clock, 50);
    }
    expect(readOpenCount()).toBe(1);
    answer.destroy();
    await expect.poll(readOpenCount).toBe(0);
  });

  it('is sent to 32 at once: others are told when to come again', async () => {
    const { ask, readOpenCount } = await serve();
    const answers = await Promise.all(Array.from({ length: 32 }, ask));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 32 }, () => 200));
    const refused = await ask();
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(await json(refused)).toMatchObject({
      ...{ kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'the node sends 32 archives already' },
    });
    answers[0]?.destroy();
    await expect.poll(readOpenCount).toBe(31);
    const next = await ask();
    expect(next.statusCode).toBe(200);
  });
});
