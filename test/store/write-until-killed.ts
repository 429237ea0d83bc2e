import { StoreConflict } from '../../platform/store/object-store.ts';
import type { StoreWrite } from '../../platform/store/object-store.ts';
import { openSqliteStore } from '../../platform/store/sqlite-store.ts';
import { makeRandom } from './random.ts';

/**
 * A program for the crash suites: `write-until-killed.ts FILE SEED WRITERS [WRITES]`. Every writer makes one random write after
 * the other and prints `ack REVISION TYPE KEY TOKEN` once it is acknowledged; a watch prints `event REVISION TYPE KEY TOKEN`.
 * It prints `open REVISION` first, and ends after WRITES writes in all (without WRITES: never).
 */
const [file, seed, writers, writes] = process.argv.slice(2);
const store = await openSqliteStore({ file: file! });
const random = makeRandom(Number(seed));
/** Resolves when the line is where it outlives this process: while the reader is slow, lines are kept in memory. */
const say = (line: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
await say(`open ${store.revision}`);

let left = writes === undefined ? Infinity : Number(writes);

function chooseWrite(key: string, token: string): StoreWrite {
  const padding = 'x'.repeat(Math.floor(random() ** 4 * 20_000));
  const encode = (revision: number): Buffer => Buffer.from(`${token} ${revision} ${padding}`);
  const current = store.getLatest(key);
  if (current === undefined) return { type: 'create', key, encode };
  return { type: random() < 0.3 ? 'delete' : 'update', key, expectedRevision: current.revision, encode };
}

async function writeOn(writer: number): Promise<void> {
  for (let i = 0; left-- > 0; i++) {
    const token = `${seed}.${writer}.${i}`;
    const key = `/k/${Math.floor(random() * 40)}`;
    const write = chooseWrite(key, token);
    try {
      const { revision } = await store.commit(write);
      await say(`ack ${revision} ${write.type === 'delete' ? 'delete' : 'put'} ${key} ${token}`);
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
  }
}

async function watchOn(): Promise<void> {
  const watch = store.watch('/', store.revision);
  while (!watch.closed) {
    for (const { revision, type, key, value } of await watch.read(100)) {
      await say(`event ${revision} ${type} ${key} ${value.toString('latin1').split(' ')[0]}`);
    }
    await watch.wait();
  }
}

const watching = watchOn();
await Promise.all(Array.from({ length: Number(writers) }, (_, i) => writeOn(i)));
await say('done');
if (writes !== undefined) {
  await store.close();
  await watching;
}
