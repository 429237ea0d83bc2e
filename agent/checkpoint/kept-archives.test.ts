import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';

import { describe, expect, it, vi } from 'vitest';

import { ManualClock } from '../../platform/process/manual-clock.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import { ArchiveFolder } from './archive-folder.ts';
import type { CheckpointRecord } from './checkpoint-record.ts';
import type { Checkpoints } from './checkpoints.ts';
import { makeArchive } from './scripted-archive.ts';
import {
  ask,
  describeRefusal,
  expectRecord,
  folder,
  listFiles,
  readMetric,
  root,
  runtime,
  start,
  succeedWith,
  useScriptedNode,
} from './scripted-node.ts';

useScriptedNode();

/** Writes an archive that says what it is of. */
async function writeArchive(file: string): Promise<void> {
  const spec = {
    annotations: {
      'io.kubernetes.cri.sandbox-namespace': 'shop',
      'io.kubernetes.cri.sandbox-name': 'web',
      'io.kubernetes.cri.sandbox-uid': 'uid-7',
      'io.kubernetes.cri.container-name': 'app',
    },
  };
  await writeFile(join(root, 'pages'), Buffer.alloc(100_000));
  await writeFile(join(root, 'spec.dump'), JSON.stringify(spec));
  await promisify(execFile)('tar', ['--format=ustar', '-cf', file, '-C', root, 'pages', 'spec.dump']);
}

describe('retention', () => {
  async function make(checkpoints: Checkpoints, clock: ManualClock, place?: string): Promise<CheckpointRecord> {
    clock.advance(1_000);
    return expectRecord(await ask(checkpoints, place));
  }

  it('removes the oldest, but no pinned one; metrics say why', async () => {
    runtime.addPod('shop', 'web', ['app']);
    succeedWith('memory');
    const clock = new ManualClock();
    const checkpoints = await start({ clock, retention: { container: { maxCount: 2, maxBytes: undefined } } });
    const first = await make(checkpoints, clock);
    expect(await checkpoints.setPinned('shop', first.name, true)).toEqual({ ...first, pinned: true });
    const second = await make(checkpoints, clock);
    const third = await make(checkpoints, clock);
    await expect.poll(() => checkpoints.list().map(({ name }) => name)).toEqual([first.name, third.name]);
    await expect.poll(() => listFiles()).toHaveLength(4);
    expect(checkpoints.find('shop', second.name)).toBeUndefined();
    expect(await readMetric('bailiwick_agent_checkpoint_removals_total{reason="ContainerCount"}')).toBe('1');
    expect(await readMetric('bailiwick_agent_checkpoint_pinned_archives')).toBe('1');
    await checkpoints.setPinned('shop', third.name, true);
    expect(describeRefusal(await ask(checkpoints))).toContain('the container may have 2 archives and 2 are pinned');
  });

  it('spares the one just made when the clock was set back', async () => {
    runtime.addPod('shop', 'web', ['app']);
    succeedWith('memory');
    const clock = new ManualClock();
    const checkpoints = await start({ clock, retention: { container: { maxCount: 2, maxBytes: undefined } } });
    const first = await make(checkpoints, clock);
    const second = await make(checkpoints, clock);
    const now = vi.spyOn(clock, 'now').mockReturnValue(clock.now() - 3_600_000);
    const third = await make(checkpoints, clock);
    now.mockRestore();
    await expect.poll(() => checkpoints.list()).toEqual([third, second]);
    expect(checkpoints.find('shop', first.name)).toBeUndefined();
  });

  it('removes what is too old, when nobody asks for anything either', async () => {
    runtime.addPod('shop', 'web', ['app']);
    succeedWith('memory');
    const clock = new ManualClock();
    const checkpoints = await start({ clock, retention: { maxAgeMillis: 3_600_000 } });
    await make(checkpoints, clock);
    clock.advance(3_500_000);
    const young = await make(checkpoints, clock);
    clock.advance(120_000);
    await expect.poll(() => checkpoints.list().map(({ name }) => name)).toEqual([young.name]);
  });

  it('removes archives of pods that are long gone, over restarts too, and not while the runtime is away', async () => {
    const sandbox = runtime.addPod('shop', 'web', ['app']);
    runtime.addPod('shop', 'db', ['app']);
    succeedWith('memory');
    const clock = new ManualClock();
    const options = { clock, retention: { podGoneAgeMillis: 3_600_000 } };
    const checkpoints = await start(options);
    const gone = await make(checkpoints, clock);
    const here = await make(checkpoints, clock, 'shop/db/app');
    runtime.sandboxes.splice(runtime.sandboxes.indexOf(sandbox), 1);
    await checkpoints.review();
    await checkpoints.stop(0);
    clock.advance(1_800_000);
    const again = await start(options);
    clock.advance(1_799_999);
    await again.review();
    expect(
      again
        .list()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([gone.name, here.name].toSorted());
    runtime.failure = new RuntimeFailure('Unavailable', 'no socket');
    clock.advance(3_600_000);
    await again.review();
    expect(again.list()).toEqual([here]);
    runtime.failure = undefined;
    await again.review();
    expect(again.list()).toEqual([here]);
  });

  it('lets others change archives while it notes which pods are gone', { timeout: 300_000 }, async () => {
    const sandbox = runtime.addPod('shop', 'web', ['app']);
    runtime.addPod('shop', 'db', ['app']);
    succeedWith('memory');
    const clock = new ManualClock();
    const checkpoints = await start({ clock });
    for (let i = 0; i < 10; i += 1) await make(checkpoints, clock);
    const other = await make(checkpoints, clock, 'shop/db/app');
    runtime.sandboxes.splice(runtime.sandboxes.indexOf(sandbox), 1);
    const { writeRecord } = ArchiveFolder.prototype;
    const write = vi.spyOn(ArchiveFolder.prototype, 'writeRecord');
    try {
      const pinned = new Promise<number>((resolve) => {
        write.mockImplementationOnce(function (this: ArchiveFolder, ...given) {
          void checkpoints.setPinned('shop', other.name, true).then(() => resolve(write.mock.calls.length));
          return writeRecord.apply(this, given);
        });
      });
      await checkpoints.review();
      expect(await pinned).toBeLessThan(5);
      expect(write).toHaveBeenCalledTimes(11);
    } finally {
      write.mockRestore();
    }
  });

  it('lets a pod be back', async () => {
    const sandbox = runtime.addPod('shop', 'web', ['app']);
    succeedWith('memory');
    const clock = new ManualClock();
    const checkpoints = await start({ clock, retention: { podGoneAgeMillis: 3_600_000 } });
    const record = await make(checkpoints, clock);
    runtime.sandboxes.pop();
    await checkpoints.review();
    runtime.sandboxes.push(sandbox);
    await checkpoints.review();
    clock.advance(7_200_000);
    await checkpoints.review();
    expect(checkpoints.list()).toEqual([record]);
  });
});

describe('archives', () => {
  it('are read whole or in part, also when they are removed in the meantime', async () => {
    runtime.addPod('shop', 'web', ['app']);
    succeedWith('memory');
    const content = makeArchive('memory');
    const checkpoints = await start();
    const { name } = expectRecord(await ask(checkpoints));
    const whole = await checkpoints.openArchive('shop', name);
    const part = await checkpoints.openArchive('shop', name);
    expect(whole?.sizeBytes).toBe(content.length);
    expect(await checkpoints.remove('shop', name)).toMatchObject({ name });
    if (whole === undefined || part === undefined) throw new Error('no archive');
    expect(await buffer(whole.read())).toEqual(content);
    expect(await text(part.read({ start: 11, end: 13 }))).toBe('cor');
    await whole.close();
    expect(await checkpoints.openArchive('shop', name)).toBeUndefined();
    expect(await checkpoints.remove('shop', name)).toBeUndefined();
    expect(await checkpoints.setPinned('shop', name, true)).toBeUndefined();
    expect(await listFiles()).toEqual([]);
    expect(await readMetric('bailiwick_agent_checkpoint_removals_total{reason="Deleted"}')).toBe('1');
  });

  it('are listed by namespace and name', async () => {
    for (const [namespace, pod] of [
      ['b', 'z'],
      ['a', 'y'],
      ['b', 'a'],
    ] as const)
      runtime.addPod(namespace, pod, ['app']);
    succeedWith('memory');
    const checkpoints = await start();
    for (const place of ['b/z/app', 'a/y/app', 'b/a/app']) expectRecord(await ask(checkpoints, place));
    expect(checkpoints.list().map(({ namespace, podName }) => `${namespace}/${podName}`)).toEqual([
      'a/y',
      'b/a',
      'b/z',
    ]);
  });
});

describe('after a crash', () => {
  it('what was being made is gone, its container is resumed, and finished archives are known as they were', async () => {
    runtime.addPod('shop', 'web', ['app']);
    succeedWith('memory');
    const checkpoints = await start();
    const record = expectRecord(await ask(checkpoints));
    await checkpoints.setPinned('shop', record.name, true);
    runtime.onDump = undefined;
    void ask(checkpoints);
    await runtime.waitForDumps(2);
    await runtime.dumps[1]?.write('half');
    // As a crash leaves it: nothing of this agent happens any more.
    const again = await start();
    expect(again.list()).toEqual([{ ...record, pinned: true }]);
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
    await expect.poll(() => runtime.resumed).toContain('container-0');
  });

  it('the container of a dump that was given up before is resumed', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const leaving = new AbortController();
    const asked = ask(await start(), 'shop/web/app', 60, leaving.signal);
    await runtime.waitForDumps(1);
    leaving.abort();
    await asked;
    expect(runtime.resumed).toEqual([]);
    await start();
    await expect.poll(() => runtime.resumed).toEqual(['container-0']);
    await expect.poll(() => listFiles()).toEqual([]);
  });

  it('a container is not forgotten by an agent that ends before the runtime is back', async () => {
    runtime.addPod('shop', 'web', ['app']);
    void ask(await start());
    await runtime.waitForDumps(1);
    runtime.failure = new RuntimeFailure('Unavailable', 'no socket');
    for (let i = 0; i < 2; i += 1) await (await start()).stop(0);
    runtime.failure = undefined;
    await start();
    await expect.poll(() => runtime.resumed).toEqual(['container-0']);
    await expect.poll(() => listFiles()).toEqual([]);
  });

  it('a container that the runtime pauses only later is resumed, and one that goes on for two minutes is forgotten', async () => {
    runtime.addPod('shop', 'web', ['app']);
    void ask(await start());
    await runtime.waitForDumps(1);
    runtime.isPaused = false;
    const clock = new ManualClock();
    async function lookAgain(times: number): Promise<void> {
      for (let i = 0; i < times; i += 1) {
        const { looks } = runtime;
        await vi.waitFor(
          () => {
            clock.advance(3_000);
            expect(runtime.looks).toBeGreaterThan(looks);
          },
          { interval: 1, timeout: 20_000 },
        );
      }
    }
    const first = await start({ clock });
    await expect.poll(() => runtime.looks).toBe(1);
    await lookAgain(20);
    await first.stop(0);
    await start({ clock });
    await lookAgain(20);
    expect(runtime.resumed).toEqual([]);
    runtime.isPaused = true;
    await lookAgain(1);
    await expect.poll(() => runtime.resumed).toEqual(['container-0']);
    await expect.poll(() => listFiles()).toEqual([]);

    void ask(await start({ clock }));
    await runtime.waitForDumps(2);
    runtime.isPaused = false;
    await start({ clock });
    await lookAgain(30);
    expect(await listFiles()).not.toEqual([]);
    await lookAgain(11);
    await expect.poll(() => listFiles()).toEqual([]);
  });

  it('a container that cannot be looked at is left to the next start', async () => {
    runtime.addPod('shop', 'web', ['app']);
    void ask(await start());
    await runtime.waitForDumps(1);
    const refuse = vi.spyOn(runtime, 'resumeContainer').mockRejectedValue(new Error('broken'));
    await start();
    await expect.poll(() => refuse).toHaveBeenCalled();
    refuse.mockRestore();
    await start();
    await expect.poll(() => runtime.resumed).toEqual(['container-0']);
  });

  it.for<[string, (path: string) => Promise<unknown>]>([
    ['a folder', (path) => mkdir(path)],
    ['a pipe', (path) => promisify(execFile)('mkfifo', [path])],
    ['a link to itself', (path) => symlink(path, path)],
    ['a link to nowhere', (path) => symlink(join(root, 'nowhere'), path)],
    ['a link to an archive', (path) => symlink(join(root, 'elsewhere.tar'), path)],
  ])('%s with the name of an archive is left alone', async ([, make]) => {
    await writeArchive(join(root, 'elsewhere.tar'));
    await mkdir(folder);
    const path = join(folder, 'checkpoint-web_shop-app-2026-01-01T00:00:00Z.tar');
    await make(path);
    expect((await start()).list()).toEqual([]);
    await lstat(path);
  });

  it('records without archives are removed, and so is what was half written', async () => {
    runtime.addPod('shop', 'web', ['app']);
    succeedWith('memory');
    const checkpoints = await start();
    const record = expectRecord(await ask(checkpoints));
    await checkpoints.stop();
    await rm(record.archive);
    await writeFile(join(folder, '.records', 'x.json.0123.tmp'), '{');
    await mkdir(join(folder, '.partial', 'x'));
    expect((await start()).list()).toEqual([]);
    expect(await listFiles()).toEqual([]);
  });

  it('archives without records are taken in by what they say of themselves, and others left alone', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start();
    await checkpoints.stop();
    const file = join(folder, 'checkpoint-web_shop-app-2026-01-01T00:00:00Z.tar');
    await writeArchive(file);
    await writeFile(join(folder, 'checkpoint-other.tar'), 'no archive');
    for (let i = 0; i < 2; i += 1) {
      const [record, ...others] = (await start()).list();
      expect(others).toEqual([]);
      expect(record).toMatchObject({
        namespace: 'shop',
        podName: 'web',
        podUid: 'uid-7',
        containerName: 'app',
        archive: file,
      });
    }
    expect(await readFile(join(folder, 'checkpoint-other.tar'), 'utf8')).toBe('no archive');
  });
});

describe('the end', () => {
  it('lets a dump come to its end, and refuses those that wait and new ones', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start();
    const first = ask(checkpoints);
    await runtime.waitForDumps(1);
    const waiting = ask(checkpoints);
    const stopped = checkpoints.stop();
    expect(describeRefusal(await waiting)).toBe('503 Canceled the node agent is shutting down');
    expect(describeRefusal(await ask(checkpoints))).toBe('503 Canceled the node agent is shutting down');
    runtime.dumps[0]?.finish('memory');
    expectRecord(await first);
    await stopped;
  });

  it('gives up a dump that takes too long', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start();
    const asked = ask(checkpoints);
    await runtime.waitForDumps(1);
    await checkpoints.stop(10);
    expect(describeRefusal(await asked)).toBe('503 Canceled the node agent is shutting down');
    expect(await listFiles()).toEqual([]);
    expect(runtime.dumps[0]?.signal?.aborted).toBe(true);
    expect(runtime.resumed).toEqual(['container-0']);
  });
});
