import { readElapsed, sleep, type Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { ContainerRuntime } from '../cri/container-runtime.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import type { ContainerTurns } from './container-turns.ts';
import type { DumpNote, DumpNotes } from './dump-notes.ts';

const firstRetryMillis = 200;
const maxRetryMillis = 5_000;
/** A dump that goes on is waited for. */
const timeoutMillis = 300_000;
/** How long a container must go on: a runtime may pause it well after the call was cut off, once it has asked CRIU for its version. */
const quietMillis = 120_000;
const gapMillis = 3_000;

/** What containers are followed with. */
export interface InterruptedDumpsOptions {
  readonly runtime: Pick<ContainerRuntime, 'resumeContainer'>;
  readonly notes: DumpNotes;
  readonly turns: ContainerTurns;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends all; what is not known by then stays noted. */
  readonly signal: AbortSignal;
}

/**
 * Makes sure that containers go on whose dumps were cut off: a runtime pauses a container for the dump, and may not resume it when the call
 * ends from this side or the runtime does.
 */
export class InterruptedDumps {
  readonly #options: InterruptedDumpsOptions;
  /** Until when what is made of a container may be spoilt, by its id. */
  readonly #spoiltUntilMillis = new Map<string, number>();

  constructor(options: InterruptedDumpsOptions) {
    this.#options = options;
  }

  /**
   * Follows the container of a dump that was cut off until it is sure to go on; the note goes then. Resolves when the runtime has told of it
   * once; never throws. Other dumps of it wait while it is looked at.
   */
  async follow(note: DumpNote): Promise<void> {
    const nowMillis = readElapsed(this.#options.clock);
    for (const [id, untilMillis] of this.#spoiltUntilMillis) {
      if (untilMillis <= nowMillis) this.#spoiltUntilMillis.delete(id);
    }
    this.#spoiltUntilMillis.set(note.containerId, nowMillis + quietMillis);
    await new Promise<void>((resolve) => {
      this.#follow(note, resolve)
        .catch((err: unknown) => {
          const { containerId } = note;
          this.#options.logger.error({ err, containerId }, 'container of an interrupted checkpoint is left as it is');
        })
        .finally(resolve);
    });
  }

  /**
   * Whether a dump of the container was cut off so lately that the runtime may still be at it, in the way of another: containerd has one folder
   * for all dumps of a container, and removes it at the end of each, which may be long after the call was canceled.
   */
  maySpoil(containerId: string): boolean {
    return (this.#spoiltUntilMillis.get(containerId) ?? 0) > readElapsed(this.#options.clock);
  }

  async #follow({ key, containerId, turn }: DumpNote, onLooked: () => void): Promise<void> {
    const { notes, turns, clock, logger, signal } = this.#options;
    for (let leftMillis = quietMillis; ; leftMillis -= gapMillis) {
      const endTurn = await turns.hold(turn, signal);
      if (endTurn === undefined) return;
      const wasPaused = await this.#look(containerId).finally(endTurn);
      if (wasPaused === undefined) return;
      if (wasPaused) logger.warn({ containerId }, 'container resumed that an interrupted checkpoint had left paused');
      if (wasPaused || leftMillis <= 0) {
        await notes.forget(key);
        return;
      }
      onLooked();
      await sleep(clock, gapMillis, signal);
    }
  }

  /** Whether it was paused, and goes on now; `undefined` when all ends before that is known. Waits for a runtime that is away. */
  async #look(containerId: string): Promise<boolean | undefined> {
    const { runtime, clock, logger, signal } = this.#options;
    let lastMessage = '';
    for (let delayMillis = firstRetryMillis; !signal.aborted; delayMillis = Math.min(delayMillis * 2, maxRetryMillis)) {
      try {
        return await runtime.resumeContainer(containerId, { signal, timeoutMillis });
      } catch (err) {
        if (signal.aborted) return undefined;
        if (!(err instanceof RuntimeFailure)) throw err;
        if (err.message !== lastMessage) {
          logger.warn({ err, containerId }, 'container of an interrupted checkpoint could not be looked at');
        }
        lastMessage = err.message;
      }
      await sleep(clock, delayMillis, signal);
    }
    return undefined;
  }
}
