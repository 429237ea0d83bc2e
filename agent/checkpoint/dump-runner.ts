import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { sleep, type Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { ContainerRuntime, RuntimeContainer, Sandbox } from '../cri/container-runtime.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import type { ArchiveFolder, AttemptPlace } from './archive-folder.ts';
import type { ArchiveIndex } from './archive-index.ts';
import { BrokenArchive } from './broken-archive.ts';
import type { CheckpointProgress, CheckpointRecord, CheckpointRequest } from './checkpoint-record.ts';
import type { DumpNote, DumpNotes } from './dump-notes.ts';
import type { InterruptedDumps } from './interrupted-dumps.ts';
import { measureDump } from './measure-dump.ts';
import { planDumpSpace } from './plan-dump-space.ts';
import type { RequestBounds } from './request-bounds.ts';
import { shareTurn } from './share-turn.ts';
import { watchAttempt } from './watch-attempt.ts';
import { writeBack } from './write-back.ts';

/** What dumps are made with. */
export interface DumpRunnerOptions {
  readonly runtime: ContainerRuntime;
  readonly folder: ArchiveFolder;
  readonly notes: DumpNotes;
  readonly index: ArchiveIndex;
  readonly nodeName: string;
  readonly minimumFreeBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly interrupted: InterruptedDumps;
}

/** One dump whose turn it is. */
export interface Dump {
  readonly request: CheckpointRequest;
  readonly sandbox: Sandbox;
  readonly container: RuntimeContainer;
  readonly bounds: RequestBounds;
  readonly onProgress: (phase: CheckpointProgress['phase'], bytes: number) => void;
  /** Whose turn it is. */
  readonly turn: string;
  /** Lets the next one begin. Called when the runtime is done, which may be after the request was answered. */
  readonly endTurn: () => void;
}

/** What fits the runtime's field on every platform. */
const maxTimeoutSeconds = 2 ** 31 - 1;
/** The call has no time of its own: the longest that timers take. */
const maxCallMillis = 2 ** 31 - 1;
/** How long a runtime may go on with a dump that was given up before its call is canceled although that may leave the container paused. */
const maxAbandonedMillis = 600_000;

/** After how long a dump is made again that another may have spoilt, each time that one is. */
const repeatDelaysMillis = [500, 1_000, 2_000, 4_000];

/** What is made of a dump, and the note of it. */
interface Attempt {
  readonly note: DumpNote;
  readonly place: AttemptPlace;
}

/** An archive that is whole and on disk, where it was made. */
interface MadeArchive {
  readonly place: AttemptPlace;
  readonly sizeBytes: number;
}

/** Whether the call was cut off rather than answered, so that the container may have been left paused. */
function isCutOff(error: unknown): boolean {
  return error instanceof RuntimeFailure && ['Unavailable', 'Canceled', 'DeadlineExceeded'].includes(error.code);
}

/** Has a runtime dump containers into archives. */
export class DumpRunner {
  readonly #options: DumpRunnerOptions;
  /** What runtimes still do, answered or not, and what cuts it off. */
  readonly #calls = new Map<Promise<void>, AbortController>();

  constructor(options: DumpRunnerOptions) {
    this.#options = options;
  }

  /**
   * Dumps a container and takes the archive in. Resolves to `undefined` as soon as the request is given up; throws what went wrong otherwise.
   */
  async run(dump: Dump): Promise<CheckpointRecord | undefined> {
    const { folder, index, clock } = this.#options;
    const { request, bounds } = dump;
    const names = index.reserve(request, clock.now());
    try {
      const made = await this.#make(dump);
      if (made === undefined) return undefined;
      const { place, sizeBytes } = made;
      const fault = index.findRoomFault(request, sizeBytes);
      if (fault !== undefined) bounds.giveUp('Storage', fault);
      const record = this.#describe(dump, names, sizeBytes);
      let isAdded = false;
      try {
        isAdded = await index.add(place, record, () => bounds.givenUp === undefined);
      } finally {
        if (!isAdded) await folder.dropAttempt(place);
      }
      return isAdded ? record : undefined;
    } finally {
      index.release(request.namespace, names);
    }
  }

  /** Dumps a container, again when something was in the way that will not be for ever; `undefined` when the request was given up. */
  async #make(dump: Dump): Promise<MadeArchive | undefined> {
    const { clock, logger } = this.#options;
    const { container, bounds } = dump;
    const share = shareTurn(dump.endTurn);
    const endShare = share();
    try {
      for (let repeats = 0; ; repeats += 1) {
        const attempt = await this.#prepare(dump);
        if (attempt === undefined) return undefined;
        try {
          const sizeBytes = await this.#dump({ ...dump, endTurn: share() }, attempt);
          return sizeBytes === undefined ? undefined : { place: attempt.place, sizeBytes };
        } catch (err) {
          const delayMillis = repeatDelaysMillis[repeats];
          const isFinal = delayMillis === undefined || bounds.givenUp !== undefined;
          if (isFinal || !this.#maySpoil(container.id, err)) throw err;
          logger.warn({ err, containerId: container.id, delayMillis }, 'checkpoint is made again');
          await sleep(clock, delayMillis, bounds.signal);
        }
        if (bounds.givenUp !== undefined) return undefined;
      }
    } finally {
      endShare();
    }
  }

  /** Whether a dump may have come to this because another one of the container, which was cut off, is not over for the runtime. */
  #maySpoil(containerId: string, error: unknown): boolean {
    // Somebody else may have had it dumped.
    if (error instanceof BrokenArchive) return true;
    const isAnswer = error instanceof RuntimeFailure && error.code !== 'Unimplemented' && !isCutOff(error);
    return isAnswer && this.#options.interrupted.maySpoil(containerId);
  }

  /** Makes a place for the archive; `undefined` when the request is given up, as it is when there is no space. */
  async #prepare({ request, container, bounds, turn }: Dump): Promise<Attempt | undefined> {
    const { runtime, folder, notes, index, minimumFreeBytes } = this.#options;
    const note = { key: randomBytes(8).toString('hex'), containerId: container.id, turn };
    try {
      const measured = await measureDump({ runtime, folder, containerId: container.id, signal: bounds.signal });
      const fault = planDumpSpace({ ...measured, minimumFreeBytes }) ?? index.findRoomFault(request, 0);
      if (fault === undefined && bounds.givenUp === undefined) {
        await notes.keep(note);
        return { note, place: await folder.beginAttempt(note.key) };
      }
      if (fault !== undefined) bounds.giveUp('Storage', fault);
      return undefined;
    } catch (error) {
      await notes.forget(note.key).catch(() => undefined);
      throw error;
    }
  }

  /** Resolves when runtimes have ended what they do, and containers go on. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#calls.keys());
  }

  /** Cuts off what runtimes still do; containers that this leaves paused are resumed. */
  cutOff(): void {
    for (const cancel of this.#calls.values()) cancel.abort();
  }

  #describe(
    { request, sandbox, container }: Dump,
    names: ReturnType<ArchiveIndex['reserve']>,
    sizeBytes: number,
  ): CheckpointRecord {
    return {
      name: names.name,
      namespace: request.namespace,
      podName: request.pod,
      podUid: sandbox.uid,
      containerName: request.container,
      containerId: container.id,
      nodeName: this.#options.nodeName,
      archive: join(this.#options.folder.path, names.file),
      sizeBytes,
      startTime: new Date(names.timeMillis).toISOString(),
      completionTime: new Date(Math.max(names.timeMillis, this.#options.clock.now())).toISOString(),
      pinned: false,
    };
  }

  /** Bytes of the archive that is complete and on disk; `undefined` when the request was given up before. Ends the turn when all is over. */
  async #dump(dump: Dump, attempt: Attempt): Promise<number | undefined> {
    const { runtime, folder, notes, index, clock, logger, minimumFreeBytes } = this.#options;
    const { request, container, bounds, onProgress } = dump;
    const { note, place } = attempt;
    const cancel = new AbortController();
    onProgress('Dumping', 0);
    // A deadline is not passed on: one that passes while a runtime dumps can leave the container paused for ever.
    const call = runtime.checkpointContainer(
      {
        containerId: container.id,
        location: place.file,
        timeoutSeconds: Math.min(request.timeoutSeconds ?? 0, maxTimeoutSeconds),
      },
      { signal: cancel.signal, timeoutMillis: maxCallMillis },
    );
    const written = new AbortController();
    void writeBack(place.file, clock, written.signal);
    let isAbandoned = false;
    const answered = call.then(
      () => notes.forget(note.key),
      async (error: unknown) => {
        if (!isCutOff(error)) await notes.forget(note.key);
        throw error;
      },
    );
    const work = answered.finally(() => written.abort()).then(() => (isAbandoned ? 0 : folder.sealAttempt(place)));
    const over = this.#follow(work, dump, attempt, cancel);
    const stopWatch = watchAttempt({
      ...{ folder, place, bounds, minimumFreeBytes, onProgress, clock, logger },
      findRoomFault: (bytes) => index.findRoomFault(request, bytes),
    });
    let sizeBytes: number | undefined;
    try {
      sizeBytes = await bounds.race(work);
    } catch (error) {
      await folder.dropAttempt(place);
      throw error;
    } finally {
      stopWatch();
    }
    if (sizeBytes !== undefined) return sizeBytes;
    isAbandoned = true;
    // Once it writes the archive the runtime has resumed the container. Before, canceling could leave it paused, so the call is let run
    // out; it ends without an archive, as the folder is gone.
    if ((await folder.readAttemptBytes(place)) !== undefined) cancel.abort();
    await folder.dropAttempt(place);
    const cancelGuard = clock.schedule(maxAbandonedMillis, () => cancel.abort());
    void over.finally(cancelGuard);
    return undefined;
  }

  /** Resolves when the work is over and nothing is left of it but what was taken in, and the note of a container that may stand still. */
  async #follow(
    work: Promise<number>,
    { bounds, endTurn }: Dump,
    { note, place }: Attempt,
    cancel: AbortController,
  ): Promise<void> {
    const { folder, logger, interrupted } = this.#options;
    let looked: Promise<void> | undefined;
    const over = work.then(
      () => undefined,
      (error: unknown) => {
        // Before the turn ends, so that nobody else begins in between.
        if (isCutOff(error)) looked = interrupted.follow(note);
      },
    );
    const end = over
      .then(async () => {
        if (bounds.givenUp !== undefined) await folder.dropAttempt(place);
      })
      .catch((err: unknown) => logger.error({ err }, 'archive of a checkpoint that was given up could not be removed'))
      .finally(endTurn)
      .then(() => looked);
    this.#calls.set(end, cancel);
    await end;
    this.#calls.delete(end);
  }
}
