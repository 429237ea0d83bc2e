import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../platform/process/clock.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import { ArchiveFolder } from './archive-folder.ts';
import type { CheckpointSettings } from './checkpoint-settings.ts';
import { makeArchive } from './scripted-archive.ts';
import {
  ask,
  describeRefusal,
  expectRecord,
  folder,
  listFiles,
  readMetric,
  runtime,
  signal,
  start,
  succeedWith,
  useScriptedNode,
} from './scripted-node.ts';

useScriptedNode();

describe('a checkpoint', () => {
  it('is an archive for its owner alone, with a record, under the name of pod, container and time', async () => {
    const sandbox = runtime.addPod('shop', 'web', ['app', 'side']);
    succeedWith('memory');
    const checkpoints = await start();
    const record = expectRecord(await ask(checkpoints));
    expect(record).toMatchObject({
      ...{ namespace: 'shop', podName: 'web', podUid: sandbox.uid, containerName: 'app', containerId: 'container-0' },
      ...{ nodeName: 'node-1', sizeBytes: makeArchive('memory').length, pinned: false },
      archive: join(folder, `checkpoint-web_shop-app-${record.startTime}.tar`),
      name: `web-app-${record.startTime.toLowerCase().replaceAll(/[:.]/g, '-')}`,
    });
    expect(await readFile(record.archive)).toEqual(makeArchive('memory'));
    for (const [file, mode] of [
      [record.archive, 0o600],
      [folder, 0o700],
      [join(folder, '.partial'), 0o700],
    ] as const) {
      expect((await stat(file)).mode & 0o777).toBe(mode);
    }
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
    expect(checkpoints.list('shop')).toEqual([record]);
    expect(checkpoints.list('bank')).toEqual([]);
    expect(checkpoints.find('shop', record.name)).toEqual(record);
    expect(await readMetric('bailiwick_agent_checkpoints_total{result="Success"}')).toBe('1');
    expect(await readMetric('bailiwick_agent_checkpoint_archive_bytes')).toBe(String(makeArchive('memory').length));
  });

  it('is told of while it is made', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start();
    const told: string[] = [];
    const request = { namespace: 'shop', pod: 'web', container: 'app', timeoutSeconds: undefined };
    const onProgress = ({ phase, bytes }: { phase: string; bytes: number }): number => told.push(`${phase} ${bytes}`);
    const first = checkpoints.create(request, { signal, onProgress: () => undefined });
    await runtime.waitForDumps(1);
    const second = checkpoints.create(request, { signal, onProgress });
    await expect.poll(() => told).toEqual(['Waiting 0']);
    runtime.dumps[0]?.finish('memory');
    await first;
    await runtime.waitForDumps(2);
    await runtime.dumps[1]?.write('12345');
    await expect.poll(() => told).toEqual(['Waiting 0', 'Dumping 0', 'Storing 5']);
    runtime.dumps[1]?.finish('memory');
    expectRecord(await second);
  });

  it.for<[string, string, number | undefined, string]>([
    ['an unknown namespace', 'bank/web/app', undefined, '404 NotFound pod does not exist'],
    ['an unknown pod', 'shop/db/app', undefined, '404 NotFound pod does not exist'],
    ['a pod that cannot be', 'shop/..%2fweb/app', undefined, '404 NotFound pod does not exist'],
    ['an unknown container', 'shop/web/db', undefined, '404 NotFound container db does not exist'],
    ['a container that cannot be', 'shop/web/../x', undefined, '404 NotFound container .. does not exist'],
    ['a timeout that is no number', 'shop/web/app', NaN, '404 InvalidTimeout cannot parse value of timeout parameter'],
    ['a timeout for an unknown pod', 'shop/db/app', NaN, '404 NotFound pod does not exist'],
    [
      'a negative timeout',
      'shop/web/app',
      -1,
      '500 InvalidTimeout checkpointing of shop/web/app failed (CheckpointContainer requires the timeout value to be > 0)',
    ],
    [
      'a container that ended',
      'shop/web/ended',
      undefined,
      '500 NotRunning checkpointing of shop/web/ended failed (container ended not found)',
    ],
  ])('is refused for %s, as the kubelet does [Errors#3]', async ([, place, timeoutSeconds, refusal]) => {
    const sandbox = runtime.addPod('shop', 'web', ['app']);
    runtime.addContainer(sandbox, 'ended', { state: 'Exited' });
    const checkpoints = await start();
    expect(describeRefusal(await ask(checkpoints, place, timeoutSeconds))).toBe(refusal);
    expect(runtime.dumps).toEqual([]);
  });

  it('is of the container that runs, whatever else has its name', async () => {
    const old = runtime.addPod('shop', 'web', ['app'], { state: 'NotReady', createdAtMillis: 100 });
    const sandbox = runtime.addPod('shop', 'web', [], { createdAtMillis: 50 });
    runtime.addContainer(sandbox, 'app', { state: 'Exited', createdAtMillis: 9, attempt: 1 });
    runtime.addContainer(sandbox, 'app', { createdAtMillis: 8 });
    succeedWith('memory');
    const record = expectRecord(await ask(await start()));
    expect([record.podUid, record.containerId]).toEqual([sandbox.uid, 'container-2']);
    expect(record.podUid).not.toBe(old.uid);
  });

  it.for<[string, RuntimeFailure, string]>([
    [
      'lacks the operation [Errors#5]',
      new RuntimeFailure('Unimplemented', 'method CheckpointContainer not implemented'),
      'Unimplemented checkpointing of shop/web/app failed (rpc error: code = Unimplemented desc = method CheckpointContainer not implemented)',
    ],
    [
      'fails [Errors#4]',
      new RuntimeFailure('Unknown', 'criu failed'),
      'Runtime checkpointing of shop/web/app failed (rpc error: code = Unknown desc = criu failed)',
    ],
    [
      'has a full disk',
      new RuntimeFailure('Unknown', 'write /x: no space left on device'),
      'Storage checkpointing of shop/web/app failed (rpc error: code = Unknown desc = write /x: no space left on device)',
    ],
  ])('is refused with the words of a runtime that %s', async ([, failure, refusal]) => {
    runtime.addPod('shop', 'web', ['app']);
    runtime.onDump = (dump) => {
      void dump.write('part').then(() => dump.fail(failure));
    };
    const checkpoints = await start();
    expect(describeRefusal(await ask(checkpoints))).toBe(`500 ${refusal}`);
    expect(await listFiles()).toEqual([]);
    expect(checkpoints.list()).toEqual([]);
  });

  it('is refused when the runtime cannot be asked, and when it writes nothing', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start();
    runtime.onDump = (dump) => dump.succeed();
    expect(describeRefusal(await ask(checkpoints))).toMatch(
      /^500 Storage checkpointing of shop\/web\/app failed \(the container runtime wrote no archive to .*archive\.tar\)$/,
    );
    runtime.failure = new RuntimeFailure('Unavailable', 'no socket');
    expect(describeRefusal(await ask(checkpoints))).toBe(
      '500 Runtime checkpointing of shop/web/app failed (rpc error: code = Unavailable desc = no socket)',
    );
    expect(await listFiles()).toEqual([]);
  });

  it('has the container resumed when the runtime went away in the middle', async () => {
    runtime.addPod('shop', 'web', ['app']);
    runtime.onDump = (dump) => dump.fail(new RuntimeFailure('Unavailable', 'connection dropped'));
    await ask(await start());
    await expect.poll(() => runtime.resumed).toEqual(['container-0']);
    await expect.poll(() => listFiles()).toEqual([]);
  });

  it('waits until the container of one that was cut off is resumed', async () => {
    runtime.addPod('shop', 'web', ['app']);
    runtime.onDump = (dump) => dump.fail(new RuntimeFailure('Unavailable', 'connection dropped'));
    const checkpoints = await start();
    let resume = (): void => undefined;
    vi.spyOn(runtime, 'resumeContainer').mockImplementation(
      () =>
        new Promise((resolve) => {
          resume = () => resolve(true);
        }),
    );
    await ask(checkpoints);
    succeedWith('memory');
    const next = ask(checkpoints);
    await expect.poll(() => readMetric('bailiwick_agent_checkpoints_waiting')).toBe('1');
    expect(runtime.dumps.length).toBe(1);
    resume();
    expectRecord(await next);
  });
});

describe('a timeout', () => {
  it('ends a request while the runtime dumps; the call is not cut off, and what it writes later stays nowhere', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const clock = new ManualClock();
    const checkpoints = await start({ clock });
    const asked = ask(checkpoints, 'shop/web/app', 3);
    await runtime.waitForDumps(1);
    clock.advance(2_999);
    expect(runtime.dumps[0]?.timeoutSeconds).toBe(3);
    clock.advance(1);
    expect(describeRefusal(await asked)).toBe(
      "500 Timeout checkpointing of shop/web/app failed (timeout of 3s exceeded while the container runtime saved the container's state)",
    );
    expect(runtime.dumps[0]?.signal?.aborted).toBe(false);
    await expect(runtime.dumps[0]?.write('late')).rejects.toThrow('ENOENT');
    // The container's turn is not over before the runtime is done with it.
    const next = ask(checkpoints);
    succeedWith('memory');
    await expect.poll(() => readMetric('bailiwick_agent_checkpoints_waiting')).toBe('1');
    expect(runtime.dumps.length).toBe(1);
    runtime.dumps[0]?.fail(new RuntimeFailure('Unknown', 'no such file or directory'));
    expectRecord(await next);
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
  });

  it('cuts the call off once the archive is being written', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start();
    const leaving = new AbortController();
    const asked = ask(checkpoints, 'shop/web/app', 60, leaving.signal);
    await runtime.waitForDumps(1);
    await runtime.dumps[0]?.write('part');
    leaving.abort();
    expect(describeRefusal(await asked)).toBe(
      '500 Canceled checkpointing of shop/web/app failed (the request was canceled)',
    );
    expect(runtime.dumps[0]?.signal?.aborted).toBe(true);
    await expect.poll(() => runtime.resumed).toEqual(['container-0']);
    await expect.poll(() => listFiles()).toEqual([]);
  });

  it('counts the time of waiting', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const clock = new ManualClock();
    const checkpoints = await start({ clock });
    void ask(checkpoints, 'shop/web/app', 600);
    await runtime.waitForDumps(1);
    const second = ask(checkpoints, 'shop/web/app', 5);
    await expect.poll(() => readMetric('bailiwick_agent_checkpoints_waiting')).toBe('1');
    clock.advance(5_000);
    expect(describeRefusal(await second)).toBe(
      '500 Timeout checkpointing of shop/web/app failed (timeout of 5s exceeded while waiting for other checkpoints)',
    );
    expect(runtime.dumps.length).toBe(1);
  });

  it.for<[string, Partial<CheckpointSettings>, number | undefined, number]>([
    ['the runtime takes when there is none', {}, undefined, 120],
    ['the runtime takes when it is 0', {}, 0, 120],
    ['was set as the default', { defaultTimeoutMillis: 7_000 }, undefined, 7],
    ['it says, also when that is less than the runtime takes', { defaultTimeoutMillis: 7_000 }, 1, 1],
    ['it says, also when that is more than the runtime takes', {}, 1000, 1000],
  ])('is as long as %s', async ([, settings, timeoutSeconds, seconds]) => {
    runtime.addPod('shop', 'web', ['app']);
    const clock = new ManualClock();
    const checkpoints = await start({ clock, settings });
    const asked = ask(checkpoints, 'shop/web/app', timeoutSeconds);
    await runtime.waitForDumps(1);
    clock.advance(seconds * 1000 - 1);
    const isOver = await Promise.race([asked.then(() => true), Promise.resolve(false)]);
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(describeRefusal(await asked)).toContain(`timeout of ${seconds}s exceeded`);
  });
});

describe('many checkpoints', () => {
  it('are made one at a time for a container and so many at once, each with a name of its own', async () => {
    for (const pod of ['a', 'b', 'c', 'd', 'e']) runtime.addPod('shop', pod, ['app']);
    let [inProgress, most] = [0, 0];
    const busy = new Set<string>();
    const together = Promise.withResolvers<void>();
    runtime.onDump = (dump) => {
      expect(busy.has(dump.containerId)).toBe(false);
      busy.add(dump.containerId);
      inProgress += 1;
      most = Math.max(most, inProgress);
      // None ends before as many as may are under way.
      if (inProgress === 3) together.resolve();
      void together.promise.then(() => {
        busy.delete(dump.containerId);
        inProgress -= 1;
        dump.finish(dump.containerId);
      });
    };
    const checkpoints = await start({ clock: { ...systemClock, now: () => 1_000 }, settings: { parallel: 3 } });
    const asked = Array.from({ length: 40 }, (_, i) => ask(checkpoints, `shop/${'abcde'[i % 5] ?? ''}/app`));
    const records = (await Promise.all(asked)).map(expectRecord);
    expect(new Set(records.map(({ archive }) => archive)).size).toBe(40);
    expect(new Set(records.map(({ name }) => name)).size).toBe(40);
    for (const { archive, containerId } of records) expect(await readFile(archive)).toEqual(makeArchive(containerId));
    expect(most).toBe(3);
  });

  it.for<[string, readonly string[], number, string]>([
    ['of one container', ['shop/web/app'], 32, 'shop/other/app'],
    ['of one namespace', ['shop/web/app', 'shop/other/app', 'shop/third/app'], 64, 'bank/web/app'],
    ['in all', ['shop/web/app', 'shop/other/app', 'bank/web/app', 'bank/other/app'], 128, ''],
  ])('are refused when too many wait %s, and only they are', async ([, places, count, other]) => {
    for (const namespace of ['shop', 'bank']) {
      for (const pod of ['web', 'other', 'third']) runtime.addPod(namespace, pod, ['app']);
    }
    const checkpoints = await start({ settings: { parallel: 1 } });
    const leaving = new AbortController();
    const busy = ask(checkpoints, 'shop/web/app', 60, leaving.signal);
    await runtime.waitForDumps(1);
    const waiting = Array.from({ length: 40 * places.length }, (_, i) =>
      ask(checkpoints, places[i % places.length], 60, leaving.signal),
    );
    const mostWaiting = String(Math.min(count, 32 * places.length));
    await expect.poll(() => readMetric('bailiwick_agent_checkpoints_waiting')).toBe(mostWaiting);
    expect(describeRefusal(await ask(checkpoints, places[0], 60, leaving.signal))).toBe(
      '429 Busy too many checkpoints are waiting on this node, please try again later',
    );
    if (other !== '') {
      const allowed = ask(checkpoints, other, 60, leaving.signal);
      await expect.poll(() => readMetric('bailiwick_agent_checkpoints_waiting')).toBe(String(count + 1));
      waiting.push(allowed);
    }
    leaving.abort();
    await busy;
    await Promise.all(waiting);
    expect(await readMetric('bailiwick_agent_checkpoints_waiting')).toBe('0');
  });
});

describe('disk space', () => {
  it('is asked for before, in bytes that must stay free', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start({ settings: { minimumFreeBytes: 2 ** 60 } });
    expect(describeRefusal(await ask(checkpoints))).toMatch(
      /^500 Storage checkpointing of shop\/web\/app failed \(not enough disk space for checkpoints: \d+ bytes are free, 1152921504606847000 must stay free\)$/,
    );
    expect(runtime.dumps).toEqual([]);
    succeedWith('memory');
    expect(describeRefusal(await ask(checkpoints))).toContain('Storage');
  });

  it('is asked for as much as the dump is expected to take, before it begins', async () => {
    runtime.addPod('shop', 'web', ['app']);
    runtime.memoryBytes = 2 ** 60;
    const checkpoints = await start();
    expect(describeRefusal(await ask(checkpoints))).toMatch(
      /^500 Storage checkpointing of shop\/web\/app failed \(not enough disk space for checkpoints: \d+ bytes are free, 0 must stay free and the dump takes about 4611686018427388000\)$/,
    );
    expect(runtime.dumps).toEqual([]);
    expect(await listFiles()).toEqual([]);
    runtime.memoryBytes = 1;
    succeedWith('memory');
    expectRecord(await ask(checkpoints));
  });

  it('is watched during the dump', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start({ settings: { minimumFreeBytes: 100 } });
    const read = vi.spyOn(ArchiveFolder.prototype, 'readFreeBytes').mockResolvedValue(100);
    try {
      const asked = ask(checkpoints);
      await runtime.waitForDumps(1);
      read.mockResolvedValue(99);
      expect(describeRefusal(await asked)).toBe(
        '500 Storage checkpointing of shop/web/app failed (not enough disk space for checkpoints: 99 bytes are free, 100 must stay free)',
      );
    } finally {
      read.mockRestore();
    }
  });

  it('is given back when a finished archive cannot be taken in', async () => {
    runtime.addPod('shop', 'web', ['app']);
    succeedWith('memory');
    const checkpoints = await start();
    await rm(join(folder, '.records'), { recursive: true });
    await writeFile(join(folder, '.records'), '');
    expect(describeRefusal(await ask(checkpoints))).toContain('500 Storage');
    expect(await listFiles()).toEqual(['.records']);
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
    expect(checkpoints.list()).toEqual([]);
  });

  it('is not given to an archive that was larger than may be kept before anybody looked', async () => {
    runtime.addPod('shop', 'web', ['app']);
    succeedWith('more than ten bytes');
    const checkpoints = await start({ retention: { pod: { maxCount: undefined, maxBytes: 10 } } });
    expect(describeRefusal(await ask(checkpoints))).toBe(
      "500 Storage checkpointing of shop/web/app failed (the archive is larger than the pod's archives may be: 10 bytes)",
    );
    expect(await listFiles()).toEqual([]);
  });

  it('is watched while an archive grows, and so is what may be kept', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start({ retention: { pod: { maxCount: undefined, maxBytes: 10 } } });
    const asked = ask(checkpoints);
    await runtime.waitForDumps(1);
    await runtime.dumps[0]?.write('more than ten bytes');
    expect(describeRefusal(await asked)).toBe(
      "500 Storage checkpointing of shop/web/app failed (the archive is larger than the pod's archives may be: 10 bytes)",
    );
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
    await expect.poll(() => listFiles()).toEqual([]);
  });
});
