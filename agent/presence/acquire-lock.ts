import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watch, type FSWatcher } from 'node:fs';
import { open, readFile, utimes } from 'node:fs/promises';
import { quoteGo } from '../../core/errors/quote-go.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { StartError } from '../../platform/process/start-error.ts';
import { isWaitedFor } from './is-waited-for.ts';

/** Which file is locked, and what happens then. */
export interface LockOptions {
  readonly path: string;
  /** How long another agent may take to give it up; absent means 5 s. */
  readonly waitMillis?: number;
  /** Called once when another agent wants the lock too, or the file is deleted; absent: nobody looks. */
  readonly onContention?: () => void;
  /** Called when the lock is gone although nobody gave it back: another agent may start at any moment. */
  readonly onLost: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A lock that is held for as long as this process lives. */
export interface Lock {
  /** Gives it back. */
  release(): Promise<void>;
}

const defaultWaitMillis = 5_000;
const contentionMillis = 1_000;
const silentMillis = 1_000;
const conflictCode = 75;
/** Deaf to what ends the program, so that the lock outlasts its shutdown; the end of the pipe ends it, however the program died. */
const holdScript = 'trap "" HUP INT TERM; echo held; exec cat';

/**
 * Locks a file as the kubelet does, exclusively and for the life of the process, `kill -9` included: Node has no flock, so the `flock`
 * command holds it, at the other end of a pipe. Throws a StartError when another process holds it or the file cannot be opened.
 */
export async function acquireLock(options: LockOptions): Promise<Lock> {
  const { path, clock, logger } = options;
  await touch(path);
  const child = spawnHolder(options);
  const cancelTelling = clock.schedule(silentMillis, () => {
    logger.warn({ path }, 'waits for another agent to give up the lock file');
  });
  const errors: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
  const outcome = await Promise.race([
    once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data').then(() => 'held' as const),
    once(child, 'close').then(([code]) => code as number | null),
  ])
    .catch((error: unknown) => {
      throw new StartError(`${describe(path)}: cannot run flock`, { cause: error });
    })
    .finally(cancelTelling);
  if (outcome === conflictCode) throw new StartError(`${describe(path)}: another process holds it`);
  if (outcome !== 'held') {
    const said = Buffer.concat(errors).toString('utf8').trim();
    throw new StartError(`${describe(path)}: ${said || `flock ended with status ${String(outcome)}`}`);
  }
  return new HeldLock(child, options);
}

function describe(path: string): string {
  return `unable to acquire file lock on ${quoteGo(path)}`;
}

/** Makes sure that there is a file, for root alone, and shows whoever holds it that it is wanted. */
async function touch(path: string): Promise<void> {
  try {
    const file = await open(path, 'a+', 0o600);
    await file.close();
    const now = new Date();
    await utimes(path, now, now);
  } catch (error) {
    const { message } = error as Error;
    throw new StartError(`${describe(path)}: ${message}`, { cause: error });
  }
}

function spawnHolder({ path, waitMillis = defaultWaitMillis }: LockOptions): ChildProcess {
  const wait = waitMillis === 0 ? ['--nonblock'] : ['--timeout', String(waitMillis / 1000)];
  const child = spawn(
    'flock',
    ['--exclusive', '--no-fork', ...wait, '--conflict-exit-code', String(conflictCode), path, 'sh', '-c', holdScript],
    // In a session of its own, so that a terminal's Ctrl-C does not reach it.
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  );
  child.stdin?.on('error', () => undefined);
  return child;
}

class HeldLock implements Lock {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #isReleased = false;
  #watcher: FSWatcher | undefined;
  #cancelPoll: () => void = () => undefined;

  constructor(child: ChildProcess, options: LockOptions) {
    this.#child = child;
    this.#ended = once(child, 'close');
    child.once('close', () => {
      this.#stopLooking();
      if (this.#isReleased) return;
      options.logger.error({ path: options.path }, 'the lock file is locked no more');
      options.onLost();
    });
    // The lock lives as long as the process, not the other way round.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) unrefStream(stream);
    if (options.onContention !== undefined) this.#lookForContention(options, options.onContention);
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    this.#stopLooking();
    this.#child.ref();
    this.#child.stdin?.end();
    await this.#ended;
  }

  #lookForContention({ clock, logger, path }: LockOptions, onContention: () => void): void {
    let isSeen = false;
    const see = (sign: string): void => {
      if (isSeen || this.#isReleased) return;
      isSeen = true;
      this.#stopLooking();
      logger.warn({ path, sign }, 'another agent wants the lock file');
      onContention();
    };
    this.#watcher = watch(path, { persistent: false }, (event) => see(event));
    this.#watcher.on('error', (error) => logger.warn({ path, err: error }, 'the lock file cannot be watched'));
    // A kubelet that only waits for the lock changes nothing about the file.
    const poll = (): void => {
      this.#cancelPoll = clock.schedule(contentionMillis, () => {
        void readFile('/proc/locks', 'utf8')
          .catch(() => '')
          .then((locks) => {
            if (isWaitedFor(locks, this.#child.pid ?? -1)) see('waiting');
            else if (!isSeen && !this.#isReleased) poll();
          });
      });
    };
    poll();
  }

  #stopLooking(): void {
    this.#watcher?.close();
    this.#cancelPoll();
  }
}

function unrefStream(stream: unknown): void {
  (stream as { unref?: () => void } | null)?.unref?.();
}
