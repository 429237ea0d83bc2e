import { openSqliteStore } from '../../platform/store/sqlite-store.ts';

/**
 * A program: `node --expose-gc measure-memory.ts FILE`. Measures what 10,000 updates of 10 kB cost in memory while one watch has
 * stopped reading and 200 others wait, and prints the bytes as JSON.
 */
const UPDATES = 10_000;
const WRITERS = 16;

const store = await openSqliteStore({ file: process.argv[2]! });
const text = 'x'.repeat(10_000);
const encode = (revision: number): Buffer => Buffer.from(`${revision} ${text}`);

async function update(times: number): Promise<void> {
  const write = async (writer: number): Promise<void> => {
    for (let i = writer; i < times; i += WRITERS) {
      const key = `/pods/${i % 64}`;
      const expectedRevision = store.getLatest(key)!.revision;
      await store.commit({ type: 'update', key, expectedRevision, encode });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
}

/** What is left after the garbage is gone: buffers are freed a turn after the collection that finds them dead. */
async function measure(): Promise<{ readonly heapBytes: number; readonly residentBytes: number }> {
  for (let i = 0; i < 2; i++) {
    globalThis.gc!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, residentBytes: rss };
}

for (let i = 0; i < 64; i++) await store.commit({ type: 'create', key: `/pods/${i}`, encode });
// The allocator's own slack has been paid for once the process has been busy.
await update(UPDATES);
const start = store.revision;
const idle = Array.from({ length: 200 }, (_, i) => store.watch(`/nodes/${i}`, start));
const waiting = idle.map((watch) => watch.wait());
const stopped = store.watch('/pods/', start);
await stopped.read(1);

const before = await measure();
await update(UPDATES);
const after = await measure();

let missed = 0;
for (let page = await stopped.read(500); page.length > 0; page = await stopped.read(500)) missed += page.length;
const result = {
  heapGrowthBytes: after.heapBytes - before.heapBytes,
  residentGrowthBytes: after.residentBytes - before.residentBytes,
  missed,
};
await store.close();
await Promise.all(waiting);
process.stdout.write(JSON.stringify(result));
