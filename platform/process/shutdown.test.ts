import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sleep } from './clock.ts';
import { createSilentLogger } from './logger.ts';
import { ManualClock } from './manual-clock.ts';
import { Shutdown } from './shutdown.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

describe('Shutdown', () => {
  const make = () => {
    const clock = new ManualClock();
    return { clock, shutdown: new Shutdown({ logger: createSilentLogger(), clock, stepTimeoutMillis: 100 }) };
  };

  it('ends what started last first, once', async () => {
    const { shutdown } = make();
    const ended: string[] = [];
    shutdown.add('store', () => void ended.push('store'));
    shutdown.add('server', async () => void ended.push('server'));
    expect(await Promise.all([shutdown.end(), shutdown.end()])).toEqual([true, true]);
    expect(ended).toEqual(['server', 'store']);
    expect(shutdown.signal.aborted).toBe(true);
  });

  it('goes on after a step that fails', async () => {
    const { shutdown } = make();
    const ended: string[] = [];
    shutdown.add('store', () => void ended.push('store'));
    shutdown.add('server', async () => Promise.reject(new Error('no')));
    shutdown.add('watch', () => {
      throw new Error('no');
    });
    expect(await shutdown.end()).toBe(false);
    expect(ended).toEqual(['store']);
  });

  it('goes on after a step that does not end in time', async () => {
    const { clock, shutdown } = make();
    const ended: string[] = [];
    shutdown.add('store', () => void ended.push('store'));
    shutdown.add('server', () => new Promise<void>(() => undefined));
    const ending = shutdown.end();
    clock.advance(100);
    expect(await ending).toBe(false);
    expect(ended).toEqual(['store']);
  });
});

describe('ManualClock', () => {
  it('calls what falls due in the order of its time, and what is scheduled meanwhile', () => {
    const clock = new ManualClock(0);
    const calls: [string, number][] = [];
    clock.schedule(20, () => calls.push(['b', clock.now()]));
    clock.schedule(10, () => {
      calls.push(['a', clock.now()]);
      clock.schedule(5, () => calls.push(['c', clock.now()]));
    });
    clock.schedule(15, () => calls.push(['never', clock.now()]))();
    clock.advance(30);
    expect(calls).toEqual([
      ['a', 10],
      ['c', 15],
      ['b', 20],
    ]);
    expect(clock.now()).toBe(30);
  });

  it('ends a sleep early when it is aborted', async () => {
    const clock = new ManualClock(0);
    const controller = new AbortController();
    const sleeping = sleep(clock, 1_000, controller.signal);
    controller.abort();
    await sleeping;
    expect(clock.pendingCount).toBe(0);
  });
});

describe('writeFileAtomically', () => {
  it('replaces a file and its mode, and leaves nothing else behind', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'atomic-'));
    try {
      const file = join(directory, 'secret');
      await writeFile(file, 'old', { mode: 0o644 });
      await writeFileAtomically(file, 'new', 0o600);
      expect(await readFile(file, 'utf8')).toBe('new');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      await expect(writeFileAtomically(join(directory, 'absent', 'x'), 'x', 0o600)).rejects.toThrow('ENOENT');
      expect(await readdir(directory)).toEqual(['secret']);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
