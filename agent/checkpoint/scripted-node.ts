import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach } from 'vitest';

import { systemClock, type Clock } from '../../platform/process/clock.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { createMetricsRegistry, type Registry } from '../../platform/process/metrics.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import type { CheckpointRecord, CheckpointResult } from './checkpoint-record.ts';
import { defaultCheckpointSettings, type CheckpointSettings, type RetentionSettings } from './checkpoint-settings.ts';
import { Checkpoints } from './checkpoints.ts';
import { ScriptedRuntime } from './scripted-runtime.ts';

/** A folder of the test's own. */
export let root = '';
/** Where archives are kept. */
export let folder = '';
/** The runtime of the test. */
export let runtime: ScriptedRuntime;
let metrics: Registry;
let started: Checkpoints[] = [];
/** Never aborts. */
export const { signal } = new AbortController();

/** Gives every test of a file a runtime and folders of its own. */
export function useScriptedNode(): void {
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
}

/** How checkpoints differ from the usual. */
export interface StartOptions {
  readonly clock?: Clock;
  readonly settings?: Partial<CheckpointSettings>;
  readonly retention?: Partial<RetentionSettings>;
}

/** Starts the checkpoints of the test's runtime, as after a start of the agent. */
export async function start({
  clock = systemClock,
  settings = {},
  retention = {},
}: StartOptions = {}): Promise<Checkpoints> {
  metrics = createMetricsRegistry();
  const merged = { ...defaultCheckpointSettings, minimumFreeBytes: 0, minimumFreeShare: 0, ...settings };
  const checkpoints = await Checkpoints.start({
    ...{ folder, nodeName: 'node-1', runtime, clock, metrics, logger: createSilentLogger() },
    settings: { ...merged, retention: { ...merged.retention, ...retention } },
    requestTimeoutMillis: 120_000,
  });
  started.push(checkpoints);
  return checkpoints;
}

/** Asks for a checkpoint of `namespace/pod/container`. */
export function ask(
  checkpoints: Checkpoints,
  place = 'shop/web/app',
  timeoutSeconds?: number,
  given = signal,
): Promise<CheckpointResult> {
  const [namespace = '', pod = '', container = ''] = place.split('/');
  return checkpoints.create({ namespace, pod, container, timeoutSeconds }, { signal: given });
}

/** The record that a request came to; throws when it was refused. */
export function expectRecord(result: CheckpointResult): CheckpointRecord {
  if ('refusal' in result) throw new Error(result.refusal.message);
  return result.record;
}

/** A refusal as `status failure message`. */
export function describeRefusal(result: CheckpointResult): string {
  return 'refusal' in result ? `${result.refusal.status} ${result.refusal.failure} ${result.refusal.message}` : 'made';
}

/** Lets every dump succeed with an archive of this content of memory. */
export function succeedWith(content: string): void {
  runtime.onDump = (dump) => dump.finish(content);
}

/** Names of files in the folder and below. */
export async function listFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** The value of a metric, of the checkpoints that were started last. */
export async function readMetric(line: string): Promise<string | undefined> {
  const found = (await metrics.metrics()).split('\n').find((one) => one.startsWith(`${line} `));
  return found?.slice(line.length + 1);
}
