import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findLost, readAfterCrash, replay, runAndKill } from './crash-log.ts';
import type { LoggedWrite } from './crash-log.ts';
import { makeRandom } from './random.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const ROUNDS = isSoak ? 30 : 3;
const WRITERS = 16;

it(`keeps every acknowledged write over ${ROUNDS} kills`, { timeout: ROUNDS * 100_000 }, async () => {
  const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 1e9) : 7));
  console.log(`seed ${seed}`);
  const random = makeRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'store-kill-'));
  const file = join(folder, 'state.db');
  const history: LoggedWrite[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const log = await runAndKill({
        file,
        seed: seed + round,
        writers: WRITERS,
        killAfter: 1 + Math.floor(random() * 3000),
        delayMs: random() * 20,
      });
      const lastSeen = log.watched.at(-1)?.revision ?? log.openRevision;
      const { events: missed, state } = await readAfterCrash(file, lastSeen);
      const events = [...log.watched, ...missed];

      expect(findLost(log, events)).toEqual([]);
      const revisions = [...history, ...events].map(({ revision }) => revision);
      expect(revisions.every((revision, i) => i === 0 || revision > revisions[i - 1]!)).toBe(true);
      // A writer has one write under way at most: that one may be there without having been acknowledged.
      const known = new Set(log.acknowledged.map(({ what }) => what));
      const unknown = events.filter(({ what }) => !known.has(what)).map(({ what }) => what.split('.')[1]);
      expect(new Set(unknown).size).toBe(unknown.length);

      history.push(...events);
      expect(state).toEqual(replay(history));
      const { events: all } = await readAfterCrash(file, 1);
      expect(all).toEqual(history);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
