import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Clock } from '../../platform/process/clock.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { createMetricsRegistry, type Registry } from '../../platform/process/metrics.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import type { CheckpointRecord, CheckpointResult } from './checkpoint-record.ts';
import { defaultCheckpointSettings, type CheckpointSettings, type RetentionSettings } from './checkpoint-settings.ts';
import { Checkpoints } from './checkpoints.ts';
import { ScriptedRuntime } from './scripted-runtime.ts';

let root = '';
let folder = '';
let runtime: ScriptedRuntime;
let metrics: Registry;
let started: Checkpoints[] = [];
const { signal } = new AbortController();

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bailiwick-checkpoints-'));
  folder = join(root, 'checkpoints');
  runtime = new ScriptedRuntime();
  started = [];
});

afterEach(async () => {
  runtime.onDump = (dump) => dump.fail(new RuntimeFailure('Unavailable', 'over'));
  for (const dump of runtime.dumps) dump.fail(new RuntimeFailure('Unavailable', 'over'));
  for (const checkpoints of started) await checkpoints.stop(0);
  await rm(root, { recursive: true, force: true });
});

interface StartOptions {
  readonly clock?: Clock;
  readonly settings?: Partial<CheckpointSettings>;
  readonly retention?: Partial<RetentionSettings>;
}

async function start({ clock = systemClock, settings = {}, retention = {} }: StartOptions = {}): Promise<Checkpoints> {
  metrics = createMetricsRegistry();
  const merged = { ...defaultCheckpointSettings, minimumFreeBytes: 0, ...settings };
  const checkpoints = await Checkpoints.start({
    ...{ folder, nodeName: 'node-1', runtime, clock, metrics, logger: createSilentLogger() },
    settings: { ...merged, retention: { ...merged.retention, ...retention } },
    requestTimeoutMillis: 120_000,
  });
  started.push(checkpoints);
  return checkpoints;
}

function ask(checkpoints: Checkpoints, place = 'shop/web/app', timeoutSeconds?: number, given = signal) {
  const [namespace = '', pod = '', container = ''] = place.split('/');
  return checkpoints.create({ namespace, pod, container, timeoutSeconds }, { signal: given });
}

function expectRecord(result: CheckpointResult): CheckpointRecord {
  if ('refusal' in result) throw new Error(result.refusal.message);
  return result.record;
}

function describeRefusal(result: CheckpointResult): string {
  return 'refusal' in result ? `${result.refusal.status} ${result.refusal.failure} ${result.refusal.message}` : 'made';
}

/** Lets every dump succeed with an archive of this content. */
function succeedWith(content: string): void {
  runtime.onDump = (dump) => {
    void dump.write(content).then(dump.succeed);
  };
}

/** Names of files in the folder and below. */
async function listFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function readMetric(line: string): Promise<string | undefined> {
  const found = (await metrics.metrics()).split('\n').find((one) => one.startsWith(`${line} `));
  return found?.slice(line.length + 1);
}

describe('a checkpoint', () => {
  it('is an archive for its owner alone, with a record, under the name of pod, container and time', async () => {
    const sandbox = runtime.addPod('shop', 'web', ['app', 'side']);
    succeedWith('memory');
    const checkpoints = await start();
    const record = expectRecord(await ask(checkpoints));
    expect(record).toMatchObject({
      ...{ namespace: 'shop', podName: 'web', podUid: sandbox.uid, containerName: 'app', containerId: 'container-0' },
      ...{ nodeName: 'node-1', sizeBytes: 6, pinned: false },
      archive: join(folder, `checkpoint-web_shop-app-${record.startTime}.tar`),
      name: `web-app-${record.startTime.toLowerCase().replaceAll(/[:.]/g, '-')}`,
    });
    expect(await readFile(record.archive, 'utf8')).toBe('memory');
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
    expect(await readMetric('bailiwick_agent_checkpoint_archive_bytes')).toBe('6');
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
    await vi.waitFor(() => expect(told).toEqual(['Waiting 0']));
    await runtime.dumps[0]?.write('1234');
    runtime.dumps[0]?.succeed();
    await first;
    await runtime.waitForDumps(2);
    await runtime.dumps[1]?.write('12345');
    await vi.waitFor(() => expect(told).toEqual(['Waiting 0', 'Dumping 0', 'Storing 5']));
    runtime.dumps[1]?.succeed();
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
    await vi.waitFor(() => expect(runtime.resumed).toEqual(['container-0']));
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
    await vi.waitFor(async () => expect(await readMetric('bailiwick_agent_checkpoints_waiting')).toBe('1'));
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
    await vi.waitFor(() => expect(runtime.resumed).toEqual(['container-0']));
    expect(await listFiles()).toEqual([]);
  });

  it('counts the time of waiting', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const clock = new ManualClock();
    const checkpoints = await start({ clock });
    void ask(checkpoints, 'shop/web/app', 600);
    await runtime.waitForDumps(1);
    const second = ask(checkpoints, 'shop/web/app', 5);
    await vi.waitFor(async () => expect(await readMetric('bailiwick_agent_checkpoints_waiting')).toBe('1'));
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
    runtime.onDump = (dump) => {
      expect(busy.has(dump.containerId)).toBe(false);
      busy.add(dump.containerId);
      inProgress += 1;
      most = Math.max(most, inProgress);
      void dump.write(dump.containerId).then(() => {
        busy.delete(dump.containerId);
        inProgress -= 1;
        dump.succeed();
      });
    };
    const checkpoints = await start({ clock: { ...systemClock, now: () => 1_000 }, settings: { parallel: 3 } });
    const asked = Array.from({ length: 40 }, (_, i) => ask(checkpoints, `shop/${'abcde'[i % 5] ?? ''}/app`));
    const records = (await Promise.all(asked)).map(expectRecord);
    expect(new Set(records.map(({ archive }) => archive)).size).toBe(40);
    expect(new Set(records.map(({ name }) => name)).size).toBe(40);
    for (const record of records) expect(await readFile(record.archive, 'utf8')).toBe(record.containerId);
    expect(most).toBe(3);
  });

  it('are refused when too many wait', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start();
    const leaving = new AbortController();
    const waiting = Array.from({ length: 501 }, () => ask(checkpoints, 'shop/web/app', 60, leaving.signal));
    await vi.waitFor(async () => expect(await readMetric('bailiwick_agent_checkpoints_waiting')).toBe('500'));
    expect(describeRefusal(await ask(checkpoints))).toBe(
      '429 Busy too many checkpoints are waiting on this node, please try again later',
    );
    leaving.abort();
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

  it('is watched while an archive grows, and so is what may be kept', async () => {
    runtime.addPod('shop', 'web', ['app']);
    const checkpoints = await start({ retention: { pod: { maxCount: undefined, maxBytes: 10 } } });
    const asked = ask(checkpoints);
    await runtime.waitForDumps(1);
    await runtime.dumps[0]?.write('more than ten bytes');
    expect(describeRefusal(await asked)).toBe(
      "500 Storage checkpointing of shop/web/app failed (the archive is larger than the pod's archives may be: 10 bytes)",
    );
    expect(await listFiles()).toEqual([]);
  });
});

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
    await vi.waitFor(() => {
      expect(checkpoints.list().map(({ name }) => name)).toEqual([first.name, third.name]);
    });
    await vi.waitFor(async () => expect(await listFiles()).toHaveLength(4));
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
    await vi.waitFor(() => expect(checkpoints.list()).toEqual([third, second]));
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
    await vi.waitFor(() => expect(checkpoints.list().map(({ name }) => name)).toEqual([young.name]));
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
    succeedWith('0123456789');
    const checkpoints = await start();
    const { name } = expectRecord(await ask(checkpoints));
    const whole = await checkpoints.openArchive('shop', name);
    const part = await checkpoints.openArchive('shop', name);
    expect(whole?.sizeBytes).toBe(10);
    expect(await checkpoints.remove('shop', name)).toMatchObject({ name });
    if (whole === undefined || part === undefined) throw new Error('no archive');
    expect(await text(whole.read())).toBe('0123456789');
    expect(await text(part.read({ start: 2, end: 4 }))).toBe('234');
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
    await vi.waitFor(() => expect(runtime.resumed).toContain('container-0'));
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
    const file = join(folder, 'checkpoint-web_shop-app-2026-01-01T00:00:00Z.tar');
    await promisify(execFile)('tar', ['--format=ustar', '-cf', file, '-C', root, 'pages', 'spec.dump']);
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
    await runtime.dumps[0]?.write('memory');
    runtime.dumps[0]?.succeed();
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
  });
});
