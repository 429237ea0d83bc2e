import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findLost, readAfterCrash, replay, runAndKill } from '../store/crash-log.ts';
import type { CrashLog, LoggedWrite } from '../store/crash-log.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
const suiteName = hasCompiler ? 'a power loss' : 'a power loss (not run: it needs Linux and a C compiler, cc)';

describe.skipIf(!hasCompiler)(suiteName, () => {
  let folder: string;
  let library: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'power-loss-'));
    library = join(folder, 'power-loss.so');
    const source = new URL('./power-loss.c', import.meta.url).pathname;
    const compiled = spawnSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread'], {
      encoding: 'utf8',
    });
    expect(compiled.status, compiled.stderr).toBe(0);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Writes under load in a copy of the disk, cuts the power, and leaves in `disk` what was synced. */
  const writeAndLosePower = async (disk: string, seed: number, unsynced: string): Promise<CrashLog> => {
    const live = `${disk}-live`;
    rmSync(live, { recursive: true, force: true });
    cpSync(disk, live, { recursive: true });
    return runAndKill({
      file: join(live, 'state.db'),
      seed,
      writers: 8,
      killAfter: 500 + (seed % 2000),
      delayMs: seed % 10,
      env: {
        LD_PRELOAD: library,
        POWER_LOSS_LIVE: live,
        POWER_LOSS_DURABLE: disk,
        POWER_LOSS_SEED: String(seed),
        POWER_LOSS_UNSYNCED: unsynced,
      },
    });
  };

  /** Reads a copy, so that the disk itself stays as the power loss left it. */
  const readDisk = (disk: string, afterRevision: number) => {
    const copy = `${disk}-copy`;
    rmSync(copy, { recursive: true, force: true });
    cpSync(disk, copy, { recursive: true });
    return readAfterCrash(join(copy, 'state.db'), afterRevision);
  };

  const makeDisk = (name: string): string => {
    const disk = join(folder, name);
    mkdirSync(disk);
    return disk;
  };

  const firstSeed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 1e9) : 7));

  it('loses no acknowledged write, five times in a row', async () => {
    console.log(`seed ${firstSeed}`);
    const disk = makeDisk('honest');
    let history: readonly LoggedWrite[] = [];
    for (let round = 0; round < 5; round++) {
      const log = await writeAndLosePower(disk, firstSeed + round, '');
      const { events, state } = await readDisk(disk, 1);
      expect(findLost(log, events)).toEqual([]);
      expect(events.slice(0, history.length)).toEqual(history);
      expect(state).toEqual(replay(events));
      history = events;
    }
  });

  it('is noticed when the log is not synced: acknowledged writes are gone, or the file is broken', async () => {
    const disk = makeDisk('lying');
    const log = await writeAndLosePower(disk, firstSeed, '-wal');
    const lost = await readDisk(disk, 1).then(
      ({ events }) => findLost(log, events).length,
      () => log.acknowledged.length,
    );
    expect(lost).toBeGreaterThan(0);
  });
});
