import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followFiles } from './follow-files.ts';
import { ManualClock } from './manual-clock.ts';

describe('followFiles', () => {
  let folder: string;
  let file: string;
  const clock = new ManualClock();
  const seen: (readonly string[])[] = [];
  const failures: unknown[] = [];
  const follow = () =>
    followFiles({
      ...{ files: [file], clock, everyMillis: 1_000 },
      onTexts: (texts) => {
        if (texts[0] === 'bad') throw new Error('cannot be taken');
        seen.push(texts);
      },
      onFailure: (error) => failures.push(error),
    });

  /** Lets the clock reach the next look, which is scheduled once the one before is over. */
  const look = async (): Promise<void> => {
    await vi.waitFor(() => expect(clock.pendingCount).toBe(1), { timeout: 20_000 });
    clock.advance(1_000);
    await vi.waitFor(() => expect(clock.pendingCount).toBe(1), { timeout: 20_000 });
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'follow-'));
    file = join(folder, 'a');
    seen.length = 0;
    failures.length = 0;
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('tells of the beginning and of changes, once each, until it is ended', async () => {
    await writeFile(file, 'one');
    const end = await follow();
    await look();
    await writeFile(file, 'two');
    await look();
    await look();
    expect(seen).toEqual([['one'], ['two']]);
    end();
    expect(clock.pendingCount).toBe(0);
  });

  it('fails at the beginning without the file, or with one that cannot be taken', async () => {
    await expect(follow()).rejects.toThrow('ENOENT');
    await writeFile(file, 'bad');
    await expect(follow()).rejects.toThrow('cannot be taken');
    expect(clock.pendingCount).toBe(0);
  });

  it('says what went wrong later, and goes on', async () => {
    await writeFile(file, 'one');
    const end = await follow();
    await rm(file);
    await look();
    await writeFile(file, 'bad');
    await look();
    await look();
    await writeFile(file, 'two');
    await look();
    end();
    expect(failures.map(String)).toEqual([expect.stringContaining('ENOENT'), 'Error: cannot be taken']);
    expect(seen).toEqual([['one'], ['two']]);
  });
});
