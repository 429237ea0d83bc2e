import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startService } from './service/start-service.ts';

const UPDATES = 10_000;
const WRITERS = 16;
const IDLE_WATCHES = 200;
const MAX_GROWTH_BYTES = 50e6;
const PATH = '/api/v1/namespaces/default/configmaps';

function readResidentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
}

const isLinux = process.platform === 'linux';
const name = 'grows by at most 50 MB over 10,000 updates of 10 kB, with 200 idle watches and one that stopped reading';

it.skipIf(!isLinux)(isLinux ? name : `${name} (not run: it reads /proc)`, { timeout: 600_000 }, async () => {
  const service = await startService();
  try {
    const text = 'x'.repeat(10_000);
    const update = async (times: number): Promise<void> => {
      const write = async (writer: number): Promise<void> => {
        const metadata = { name: `m${writer}` };
        for (let i = writer; i < times; i += WRITERS) {
          const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text, i: String(i) } };
          const { status } = await service.request('PUT', `${PATH}/m${writer}`, { body });
          expect(status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    };
    for (let i = 0; i < WRITERS; i++) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `m${i}` }, data: { text } };
      expect((await service.request('POST', PATH, { body })).status).toBe(201);
    }
    const idle = await Promise.all(
      Array.from({ length: IDLE_WATCHES }, (_, i) =>
        service.open('GET', `/api/v1/namespaces/idle-${i}/configmaps?watch=1`),
      ),
    );
    const stopped = await service.open('GET', `${PATH}?watch=1`);
    stopped.pause();

    const before = readResidentBytes(service.process.pid!);
    await update(UPDATES);
    const growth = readResidentBytes(service.process.pid!) - before;
    console.log(`grew by ${Math.round(growth / 1e6)} MB from ${Math.round(before / 1e6)} MB`);
    for (const watch of [...idle, stopped]) watch.destroy();
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  } finally {
    await service.stop();
  }
});
