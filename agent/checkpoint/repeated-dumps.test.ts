import { readFile } from 'node:fs/promises';

import { expect, it, vi } from 'vitest';

import { ManualClock } from '../../platform/process/manual-clock.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import type { CheckpointResult } from './checkpoint-record.ts';
import type { Checkpoints } from './checkpoints.ts';
import { makeArchive } from './scripted-archive.ts';
import {
  ask,
  describeRefusal,
  expectRecord,
  listFiles,
  readMetric,
  runtime,
  start,
  succeedWith,
  useScriptedNode,
} from './scripted-node.ts';
import type { ScriptedDump } from './scripted-runtime.ts';

useScriptedNode();

const message = 'open /var/lib/containerd/x/ctrd-checkpoint/status: no such file or directory';
const failure = new RuntimeFailure('Unknown', message);

type Outcome = (dump: ScriptedDump) => void;
const fail: Outcome = (dump) => dump.fail(failure);
const succeed: Outcome = (dump) => dump.finish('memory');
const lose: Outcome = (dump) => dump.finish('memory', ['config.dump', 'status']);
const breakOff: Outcome = (dump) => {
  void dump.write(makeArchive('memory').subarray(0, -1024)).then(dump.succeed);
};
const broken = 'the container runtime wrote an archive that is not whole';

/** What becomes of the next dumps, one after the other, and of all after them. */
function plan(outcomes: readonly Outcome[]): void {
  const left = [...outcomes];
  runtime.onDump = (dump) => (left.length > 1 ? left.shift() : left[0])?.(dump);
}

/** Asks for a checkpoint and leaves while its archive is written, so that the call is cut off. */
async function cutOneOff(checkpoints: Checkpoints): Promise<void> {
  const leaving = new AbortController();
  const count = runtime.dumps.length;
  const asked = ask(checkpoints, 'shop/web/app', 60, leaving.signal);
  await runtime.waitForDumps(count + 1);
  await runtime.dumps[count]?.write('part');
  leaving.abort();
  await asked;
}

/** Before a dump is made again. */
const pausesMillis = [500, 1_000, 2_000, 4_000];

/** A clock that is turned while a dump is to be made again, and not while this machine works: a slow disk must not end requests. */
class PauseClock extends ManualClock {
  readonly #pauses = new Set<() => void>();

  override schedule(delayMillis: number, callback: () => void): () => void {
    if (!pausesMillis.includes(delayMillis)) return super.schedule(delayMillis, callback);
    const end = (): void => {
      this.#pauses.delete(end);
      callback();
    };
    this.#pauses.add(end);
    const cancel = super.schedule(delayMillis, end);
    return () => {
      this.#pauses.delete(end);
      cancel();
    };
  }

  /** Lets some time pass, if something waits for just that. */
  passPause(): void {
    if (this.#pauses.size > 0) this.advance(100);
  }
}

/** What a request comes to while time passes. */
async function passTimeUntil(clock: PauseClock, asked: Promise<CheckpointResult>): Promise<CheckpointResult> {
  let isOver = false;
  void asked.finally(() => (isOver = true));
  await vi.waitFor(
    () => {
      clock.passPause();
      expect(isOver).toBe(true);
    },
    { interval: 2, timeout: 40_000 },
  );
  return asked;
}

it.for<[string, readonly Outcome[]]>([
  ['fails', [fail, succeed]],
  ['fails twice', [fail, fail, succeed]],
  ['comes to an archive that lacks files', [lose, succeed]],
  ['comes to an archive without an end', [breakOff, succeed]],
  ['fails and then comes to an archive that lacks files', [fail, lose, succeed]],
])('a dump after one that was cut off is made again when it %s', async ([, outcomes]) => {
  runtime.addPod('shop', 'web', ['app']);
  const clock = new PauseClock();
  const checkpoints = await start({ clock });
  await cutOneOff(checkpoints);
  plan(outcomes);
  const record = expectRecord(await passTimeUntil(clock, ask(checkpoints)));
  expect(await readFile(record.archive)).toEqual(makeArchive('memory'));
  expect(runtime.dumps).toHaveLength(1 + outcomes.length);
  expect(checkpoints.list()).toEqual([record]);
  expect(await readMetric('bailiwick_agent_checkpoints_total{result="Runtime"}')).toBe('0');
});

it('a dump that fails after the agent was started anew in the middle of another is made again', async () => {
  runtime.addPod('shop', 'web', ['app']);
  void ask(await start());
  await runtime.waitForDumps(1);
  const clock = new PauseClock();
  const again = await start({ clock });
  plan([fail, succeed]);
  expectRecord(await passTimeUntil(clock, ask(again)));
});

it.for<[string, Outcome, string]>([
  ['fails', fail, `rpc error: code = Unknown desc = ${message}`],
  ['comes to an archive that lacks files', lose, `${broken}: it lacks config.dump, status`],
  ['comes to an archive without an end', breakOff, `${broken}: it has no end`],
])('a dump that %s every time is given up after five, with what it came to', async ([, outcome, cause]) => {
  runtime.addPod('shop', 'web', ['app']);
  const clock = new PauseClock();
  const checkpoints = await start({ clock });
  await cutOneOff(checkpoints);
  plan([outcome]);
  expect(describeRefusal(await passTimeUntil(clock, ask(checkpoints)))).toBe(
    `500 Runtime checkpointing of shop/web/app failed (${cause})`,
  );
  expect(runtime.dumps).toHaveLength(6);
  expect(checkpoints.list()).toEqual([]);
  expect((await listFiles()).filter((name) => name.endsWith('.tar'))).toEqual([]);
});

it('a dump that fails is not made again when none was cut off, nor long after one was, nor for another container', async () => {
  runtime.addPod('shop', 'web', ['app', 'side']);
  const clock = new PauseClock();
  const checkpoints = await start({ clock });
  plan([fail]);
  expect(describeRefusal(await ask(checkpoints))).toContain(message);
  runtime.onDump = undefined;
  await cutOneOff(checkpoints);
  plan([fail]);
  expect(describeRefusal(await ask(checkpoints, 'shop/web/side'))).toContain(message);
  clock.advance(120_000);
  expect(describeRefusal(await ask(checkpoints))).toContain(message);
  expect(runtime.dumps).toHaveLength(4);
});

it('an archive that lacks files is never taken in, whoever may have been in the way', async () => {
  runtime.addPod('shop', 'web', ['app']);
  const clock = new PauseClock();
  const checkpoints = await start({ clock });
  plan([lose, succeed]);
  expectRecord(await passTimeUntil(clock, ask(checkpoints)));
  expect(runtime.dumps).toHaveLength(2);
});

it('a request whose time is up is not dumped again', async () => {
  runtime.addPod('shop', 'web', ['app']);
  const clock = new PauseClock();
  const checkpoints = await start({ clock });
  plan([lose]);
  const asked = ask(checkpoints, 'shop/web/app', 1);
  expect(describeRefusal(await passTimeUntil(clock, asked))).toMatch(
    /^500 Timeout checkpointing of shop\/web\/app failed \(timeout of 1s exceeded while /,
  );
  const count = runtime.dumps.length;
  succeedWith('memory');
  expectRecord(await ask(checkpoints));
  expect(runtime.dumps).toHaveLength(count + 1);
});

it('others that ask for the container wait until it is dumped', async () => {
  runtime.addPod('shop', 'web', ['app']);
  const clock = new PauseClock();
  const checkpoints = await start({ clock });
  plan([lose]);
  const first = ask(checkpoints);
  await runtime.waitForDumps(1);
  const second = ask(checkpoints);
  await expect.poll(() => readMetric('bailiwick_agent_checkpoints_waiting')).toBe('1');
  await vi.waitFor(
    () => {
      clock.passPause();
      expect(runtime.dumps).toHaveLength(2);
    },
    { interval: 2, timeout: 20_000 },
  );
  expect(await readMetric('bailiwick_agent_checkpoints_waiting')).toBe('1');
  succeedWith('memory');
  expectRecord(await passTimeUntil(clock, first));
  expectRecord(await passTimeUntil(clock, second));
});
