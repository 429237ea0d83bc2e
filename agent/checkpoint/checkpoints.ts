import { join } from 'node:path';

import { sleep, type Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import type { ContainerRuntime } from '../cri/container-runtime.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import { ArchiveFolder } from './archive-folder.ts';
import { ArchiveIndex, type OpenArchive } from './archive-index.ts';
import { CheckpointMetrics } from './checkpoint-metrics.ts';
import { BrokenArchive } from './broken-archive.ts';
import type {
  CheckpointFailure,
  CheckpointProgress,
  CheckpointRecord,
  CheckpointRefusal,
  CheckpointRequest,
  CheckpointResult,
} from './checkpoint-record.ts';
import type { CheckpointSettings } from './checkpoint-settings.ts';
import { ContainerTurns } from './container-turns.ts';
import { DumpNotes } from './dump-notes.ts';
import { DumpRunner } from './dump-runner.ts';
import { findContainer } from './find-container.ts';
import { InterruptedDumps } from './interrupted-dumps.ts';
import { refuseFailed, stopping, tooManyWaiting } from './plan-refusal.ts';
import { readFreeFloor } from './read-free-floor.ts';
import { RequestBounds } from './request-bounds.ts';

/** What checkpoints are made with. */
export interface CheckpointsOptions {
  /** Absolute path of the folder of archives, the same for the runtime. */
  readonly folder: string;
  readonly nodeName: string;
  readonly runtime: ContainerRuntime;
  readonly settings: CheckpointSettings;
  /** How long a request of the runtime may take: the timeout of checkpoints where none is set. */
  readonly requestTimeoutMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Registry;
}

/** How a request is followed. */
export interface CreateOptions {
  /** Gives the request up. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: CheckpointProgress) => void;
}

/** Fewer than the agent answers at once, so that there is always room for other requests; and nobody can fill it alone. */
const waiting = { all: 128, namespace: 64, container: 32 };
/** How long containers may take to go on when the agent ends. */
const resumeMillis = 5_000;
const reviewIntervalMillis = 60_000;
/** The longest that timers take. */
const maxTimeoutMillis = 2 ** 31 - 1;

function chooseFailure({ code, reason }: RuntimeFailure): CheckpointFailure {
  if (code === 'Unimplemented') return 'Unimplemented';
  return reason.includes('no space left on device') ? 'Storage' : 'Runtime';
}

/** The checkpoints of a node: makes archives of containers, keeps them within bounds, and gives them out. */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  readonly #index: ArchiveIndex;
  readonly #folder: ArchiveFolder;
  readonly #notes: DumpNotes;
  readonly #interrupted: InterruptedDumps;
  readonly #turns: ContainerTurns;
  readonly #metrics: CheckpointMetrics;
  readonly #dumps: DumpRunner;
  /** No new requests; those that wait are given up. */
  readonly #stopping = new AbortController();
  /** All are given up. */
  readonly #ended = new AbortController();
  /** Nothing is asked of the runtime any more. */
  readonly #closed = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #cancelReview = (): void => undefined;

  private constructor(options: CheckpointsOptions) {
    const { settings, nodeName, logger, metrics, clock } = options;
    this.#options = options;
    this.#folder = new ArchiveFolder(options.folder);
    this.#notes = new DumpNotes(join(options.folder, '.dumping'));
    this.#turns = new ContainerTurns({ parallel: settings.parallel, waiting });
    this.#metrics = new CheckpointMetrics(metrics, async () => ({
      waiting: this.#turns.waitingCount,
      inProgress: this.#turns.busyCount,
      ...this.#index.measure(),
      freeBytes: await this.#folder.readFreeBytes().catch(() => undefined),
    }));
    this.#index = new ArchiveIndex({
      ...{ folder: this.#folder, nodeName, logger, retention: settings.retention },
      onRemoved: (reason) => this.#metrics.countRemoval(reason),
    });
    const { runtime } = options;
    this.#interrupted = new InterruptedDumps({
      ...{ runtime, notes: this.#notes, turns: this.#turns, clock, logger, signal: this.#closed.signal },
    });
    this.#dumps = new DumpRunner({
      ...{ runtime, folder: this.#folder, notes: this.#notes, index: this.#index, nodeName, clock, logger },
      minimumFreeBytes: settings.minimumFreeBytes,
      interrupted: this.#interrupted,
    });
  }

  /** Opens the folder, mends what a crash left in it, and begins to keep archives within bounds. */
  static async start(options: CheckpointsOptions): Promise<Checkpoints> {
    const minimumFreeBytes = await readFreeFloor(options.folder, options.settings);
    const checkpoints = new Checkpoints({ ...options, settings: { ...options.settings, minimumFreeBytes } });
    await checkpoints.#index.open();
    for (const note of await checkpoints.#notes.open()) void checkpoints.#interrupted.follow(note);
    await checkpoints.#index.retain(options.clock.now());
    checkpoints.#scheduleReview();
    return checkpoints;
  }

  /**
   * Makes a checkpoint. Resolves within the request's timeout, whatever the runtime does; when there is no archive by then there will not be
   * one later either.
   */
  async create(request: CheckpointRequest, { signal, onProgress }: CreateOptions): Promise<CheckpointResult> {
    if (this.#stopping.signal.aborted) return { refusal: stopping };
    const { clock, logger } = this.#options;
    const startedAtMillis = clock.now();
    const bounds = new RequestBounds({ clock, timeoutMillis: this.#readTimeout(request), signal });
    const endWaiting = (): void => {
      if (bounds.phase === 'Finding' || bounds.phase === 'Waiting') bounds.giveUp('Canceled', stopping.message);
    };
    const end = (): void => bounds.giveUp('Canceled', stopping.message);
    this.#stopping.signal.addEventListener('abort', endWaiting, { once: true });
    this.#ended.signal.addEventListener('abort', end, { once: true });
    const work = this.#create(request, bounds, (phase, bytes) => {
      bounds.phase = phase;
      onProgress?.({ type: 'Progress', phase, bytes });
    });
    this.#running.add(work);
    try {
      const result = await work;
      const { namespace, pod, container } = request;
      if ('refusal' in result) {
        const { failure, message } = result.refusal;
        this.#metrics.countFailure(failure);
        logger.info({ namespace, pod, container, failure, reason: message }, 'no checkpoint was made');
      } else {
        const { name, sizeBytes } = result.record;
        const durationSeconds = Math.max(0, clock.now() - startedAtMillis) / 1000;
        this.#metrics.countSuccess(durationSeconds, sizeBytes);
        logger.info({ namespace, pod, container, checkpoint: name, sizeBytes, durationSeconds }, 'checkpoint made');
        void this.#index.retain(clock.now(), result.record).catch((err: unknown) => this.#logFailedRetention(err));
      }
      return result;
    } finally {
      this.#running.delete(work);
      this.#stopping.signal.removeEventListener('abort', endWaiting);
      this.#ended.signal.removeEventListener('abort', end);
      bounds.release();
    }
  }

  /** What is known of archives in a namespace, or everywhere; by namespace, then name. */
  list(namespace?: string): readonly CheckpointRecord[] {
    return this.#index.list(namespace);
  }

  /** One archive; `undefined` when there is none. */
  find(namespace: string, name: string): CheckpointRecord | undefined {
    return this.#index.find(namespace, name);
  }

  /** An archive for reading, which a removal does not end; `undefined` when there is none. */
  openArchive(namespace: string, name: string): Promise<OpenArchive | undefined> {
    return this.#index.openArchive(namespace, name);
  }

  /** Keeps an archive from retention, or lets it have it; `undefined` when there is none. */
  setPinned(namespace: string, name: string, pinned: boolean): Promise<CheckpointRecord | undefined> {
    return this.#index.setPinned(namespace, name, pinned);
  }

  /** Removes an archive, pinned or not; `undefined` when there is none. */
  remove(namespace: string, name: string): Promise<CheckpointRecord | undefined> {
    return this.#index.remove(namespace, name);
  }

  /** Looks which archives have outlived their time or their pods; done every minute by itself. */
  async review(): Promise<void> {
    const { runtime, clock } = this.#options;
    if (this.#index.measure().archives === 0) return;
    try {
      const sandboxes = await runtime.listSandboxes(undefined, { signal: this.#ended.signal });
      await this.#index.notePods(new Set(sandboxes.map(({ uid }) => uid)), clock.now());
    } catch (err) {
      // Which pods there are is not known; archives still grow old.
      if (!(err instanceof RuntimeFailure)) throw err;
    }
    await this.#index.retain(clock.now());
  }

  /**
   * Refuses new requests and those that wait, lets dumps that are under way come to an end for `graceMillis`, cuts off the rest, and resolves
   * when all are answered and their containers go on. Those that cannot be brought to that soon are left to the next start.
   */
  async stop(graceMillis = 20_000): Promise<void> {
    this.#cancelReview();
    this.#stopping.abort();
    const isOver = new AbortController();
    const grace = sleep(this.#options.clock, graceMillis, isOver.signal);
    await Promise.race([Promise.allSettled(this.#running), grace]);
    this.#ended.abort();
    await Promise.allSettled(this.#running);
    // What the runtime still does for those that were given up before.
    await Promise.race([this.#dumps.settle(), grace]);
    this.#dumps.cutOff();
    await Promise.race([this.#dumps.settle(), sleep(this.#options.clock, resumeMillis, isOver.signal)]);
    isOver.abort();
    this.#closed.abort();
    await this.#index.settle();
  }

  async #create(
    request: CheckpointRequest,
    bounds: RequestBounds,
    onProgress: (phase: CheckpointProgress['phase'], bytes: number) => void,
  ): Promise<CheckpointResult> {
    const { runtime } = this.#options;
    try {
      const found = await findContainer(runtime, request, bounds.signal);
      if ('refusal' in found) return found;
      const turn = `${request.namespace}/${request.pod}/${request.container}`;
      const mustWait = this.#turns.mustWait(turn);
      if (mustWait && this.#turns.isFull(turn)) return { refusal: tooManyWaiting };
      if (mustWait) onProgress('Waiting', 0);
      const endTurn = await this.#turns.take(turn, bounds.signal);
      if (endTurn === undefined) return { refusal: this.#refuseGivenUp(request, bounds) };
      // It may have been replaced while others were dumped.
      const current = mustWait ? await this.#findAgain(request, bounds, endTurn) : found;
      if ('refusal' in current) return current;
      const record = await this.#dumps.run({ request, ...current, bounds, onProgress, turn, endTurn });
      return record === undefined ? { refusal: this.#refuseGivenUp(request, bounds) } : { record };
    } catch (error) {
      return { refusal: this.#refuseError(request, bounds, error) };
    }
  }

  /** Ends the turn when there is nothing to dump any more. */
  async #findAgain(request: CheckpointRequest, bounds: RequestBounds, endTurn: () => void) {
    try {
      const found = await findContainer(this.#options.runtime, request, bounds.signal);
      if ('refusal' in found) endTurn();
      return found;
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  #readTimeout({ timeoutSeconds = 0 }: CheckpointRequest): number {
    const { settings, requestTimeoutMillis } = this.#options;
    const wanted = timeoutSeconds > 0 ? timeoutSeconds * 1000 : (settings.defaultTimeoutMillis ?? requestTimeoutMillis);
    return Math.min(wanted, maxTimeoutMillis);
  }

  #refuseGivenUp(request: CheckpointRequest, { givenUp }: RequestBounds): CheckpointRefusal {
    if (givenUp?.cause === stopping.message) return stopping;
    const { failure, cause } = givenUp ?? { failure: 'Canceled', cause: 'the request was canceled' };
    return refuseFailed(request, failure, cause);
  }

  #refuseError(request: CheckpointRequest, bounds: RequestBounds, error: unknown): CheckpointRefusal {
    if (bounds.givenUp !== undefined) return this.#refuseGivenUp(request, bounds);
    if (error instanceof RuntimeFailure) {
      return refuseFailed(request, chooseFailure(error), error.message);
    }
    if (error instanceof BrokenArchive) return refuseFailed(request, 'Runtime', error.message);
    this.#options.logger.error({ err: error }, 'checkpoint could not be stored');
    return refuseFailed(request, 'Storage', error instanceof Error ? error.message : String(error));
  }

  #scheduleReview(): void {
    this.#cancelReview = this.#options.clock.schedule(reviewIntervalMillis, () => {
      this.review()
        .catch((err: unknown) => this.#logFailedRetention(err))
        .finally(() => {
          if (!this.#stopping.signal.aborted) this.#scheduleReview();
        });
    });
  }

  #logFailedRetention(err: unknown): void {
    this.#options.logger.error({ err }, 'archives could not be kept within their bounds');
  }
}
