import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/process/clock.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { acquireLock, type Lock, type LockOptions } from './acquire-lock.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bailiwick-lock-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function lock(path: string, given: Partial<LockOptions> = {}): Promise<Lock> {
  return acquireLock({
    ...{ path, waitMillis: 0, onLost: () => undefined, clock: systemClock, logger: createSilentLogger() },
    ...given,
  });
}

/** Where an agent holds the lock in a process of its own. */
async function holdElsewhere(path: string) {
  const url = new URL('./acquire-lock.ts', import.meta.url).href;
  const clock = new URL('../../platform/process/clock.ts', import.meta.url).href;
  const script = `
    const { acquireLock } = await import('${url}');
    const { systemClock: clock } = await import('${clock}');
    const logger = { warn() {}, error() {} };
    await acquireLock({ path: process.argv[1], waitMillis: 0, onLost() {}, clock, logger });
    console.log('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** Waits as a kubelet does, for as long as it takes. */
function waitAsKubelet(path: string) {
  return spawn('flock', ['--exclusive', path, 'true']);
}

describe('a lock file', () => {
  it('is locked by one agent only, for root alone [Resources and their fields/Node agent local files and sockets#16] [Versioning#11]', async () => {
    const path = join(folder, 'one');
    const held = await lock(path);
    await expect(lock(path)).rejects.toThrow(`unable to acquire file lock on "${path}": another process holds it`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await held.release();
    await (await lock(path)).release();
  });

  it('of another path says nothing of this one [Resources and their fields/Node agent local files and sockets#16]', async () => {
    const both = await Promise.all([lock(join(folder, 'left')), lock(join(folder, 'right'))]);
    for (const held of both) await held.release();
  });

  it('is free as soon as its agent is gone, kill -9 included', async () => {
    const path = join(folder, 'killed');
    const child = await holdElsewhere(path);
    await expect(lock(path)).rejects.toThrow('another process holds it');
    child.kill('SIGKILL');
    await (await lock(path, { waitMillis: 5_000 })).release();
  });

  it('is waited for until the other agent has ended', async () => {
    const path = join(folder, 'waited');
    const held = await lock(path);
    const next = lock(path, { waitMillis: 10_000 });
    const { ino } = await stat(path);
    await expect.poll(() => readFileSync('/proc/locks', 'utf8')).toMatch(new RegExp(`-> FLOCK .*:${ino} `));
    await held.release();
    await (await next).release();
  });

  it.for<readonly [string, (path: string) => void]>([
    ['another agent', (path: string) => void lock(path, { waitMillis: 10_000 }).then((held) => held.release())],
    ['a kubelet', (path: string) => void waitAsKubelet(path)],
    ['nobody, but the file is gone', (path: string) => void unlink(path)],
  ])('tells its agent, if it asks, that it is wanted by %s', async ([name, want]) => {
    const path = join(folder, `wanted by ${name}`);
    const wanted = Promise.withResolvers<void>();
    const held = await lock(path, { onContention: () => wanted.resolve() });
    want(path);
    await wanted.promise;
    await held.release();
  });

  it('tells its agent when it is lost', async () => {
    const path = join(folder, 'lost');
    const lost = Promise.withResolvers<void>();
    await lock(path, { onLost: () => lost.resolve() });
    const { ino } = await stat(path);
    const line = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .find((text) => text.includes(`:${ino} `));
    process.kill(Number(line?.trim().split(/\s+/)[4]), 'SIGKILL');
    await lost.promise;
  });

  it.for([
    ['a folder that is not there', (name: string) => join(name, 'none', 'lock'), 'ENOENT: no such file or directory'],
    ['a folder', (name: string) => name, 'EISDIR: illegal operation on a directory'],
  ] as const)('in place of %s is refused', async ([, at, message]) => {
    const path = at(folder);
    await expect(lock(path)).rejects.toThrow(`unable to acquire file lock on "${path}": ${message}`);
  });

  it('that is there already, with something in it, is left as it is', async () => {
    const path = join(folder, 'old');
    await writeFile(path, 'kept');
    await (await lock(path)).release();
    expect((await stat(path)).size).toBe(4);
  });
});
