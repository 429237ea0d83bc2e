import { Worker } from 'node:worker_threads';
import type { Clock } from '../process/clock.ts';
import type { ThreadReply, ThreadRequest } from './thread-messages.ts';

/** Why a task has no result through no fault of its code: its time was over, too many wait, or the pool is closed. */
export class ThreadPoolRefusal extends Error {
  override readonly name = 'ThreadPoolRefusal';
  readonly reason: 'deadline' | 'full' | 'closed';

  constructor(reason: 'deadline' | 'full' | 'closed') {
    super(`a thread pool gives no result: ${reason}`);
    this.reason = reason;
  }
}

/** What a pool is made of. */
export interface ThreadPoolOptions {
  /** Module that calls `serveThread`. */
  readonly module: URL;
  readonly clock: Clock;
  /** The most threads at a time. */
  readonly maxThreads: number;
  /** The most tasks that wait for a thread. */
  readonly maxWaiting: number;
  /** The most of them on behalf of one party; absent: as many as may wait at all. */
  readonly maxWaitingEach?: number;
  /** The most memory of one thread; a task that takes more fails, and its thread ends. */
  readonly heapMegabytes: number;
  /** A thread ends when it had nothing to do for so long. */
  readonly idleMillis: number;
}

interface Task<Input, Output> {
  readonly input: Input;
  readonly party: string;
  readonly deadlineMillis: number;
  readonly settled: PromiseWithResolvers<Output>;
  cancelDeadline: () => void;
}

interface Thread<Input, Output> {
  readonly worker: Worker;
  task: Task<Input, Output> | undefined;
  cancelIdle: (() => void) | undefined;
}

/**
 * Threads for work that would hold the event loop. They start when there is work and end when there was none for a while; each does one
 * task at a time, and one whose time is over is ended with its thread. Parties whose tasks wait are served in turn, so that one with many
 * keeps none of the others waiting for all of its own.
 */
export class ThreadPool<Input, Output> {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread<Input, Output>>();
  /** By party, in the order of their turns; none is empty. */
  readonly #waiting = new Map<string, Task<Input, Output>[]>();
  #waitingCount = 0;
  #nextId = 1;
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /**
   * Does a task on behalf of `party`, whoever that is to the caller. Rejects with a ThreadPoolRefusal, or with an error of ours when the
   * task threw.
   */
  run(input: Input, deadlineMillis: number, party = ''): Promise<Output> {
    if (this.#isClosed) return Promise.reject(new ThreadPoolRefusal('closed'));
    if (deadlineMillis <= this.#options.clock.now()) return Promise.reject(new ThreadPoolRefusal('deadline'));
    const idle = [...this.#threads].find(({ task }) => task === undefined);
    const { clock, maxThreads, maxWaiting, maxWaitingEach = maxWaiting } = this.#options;
    const hasRoom = idle !== undefined || this.#threads.size < maxThreads;
    const isFull = this.#waitingCount >= maxWaiting || (this.#waiting.get(party)?.length ?? 0) >= maxWaitingEach;
    if (!hasRoom && isFull) return Promise.reject(new ThreadPoolRefusal('full'));
    const settled = Promise.withResolvers<Output>();
    const task: Task<Input, Output> = { input, party, deadlineMillis, settled, cancelDeadline: () => {} };
    task.cancelDeadline = clock.schedule(deadlineMillis - clock.now(), () => this.#expire(task));
    if (hasRoom) this.#give(idle ?? this.#start(), task);
    else this.#enqueue(task);
    return settled.promise;
  }

  /** Ends every thread; tasks that are not done are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const threads = [...this.#threads];
    for (let task = this.#takeNext(); task !== undefined; task = this.#takeNext()) this.#refuse(task, 'closed');
    for (const thread of threads) {
      if (thread.task !== undefined) this.#refuse(thread.task, 'closed');
      this.#drop(thread);
    }
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #start(): Thread<Input, Output> {
    const { module, heapMegabytes } = this.#options;
    const worker = new Worker(module, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
    worker.unref();
    const thread: Thread<Input, Output> = { worker, task: undefined, cancelIdle: undefined };
    this.#threads.add(thread);
    worker.on('message', (reply: ThreadReply) => this.#accept(thread, reply));
    worker.on('error', (error) => this.#fail(thread, error as Error));
    worker.on('exit', () => this.#fail(thread, new Error('a thread has ended')));
    return thread;
  }

  #give(thread: Thread<Input, Output>, task: Task<Input, Output>): void {
    thread.cancelIdle?.();
    thread.task = task;
    const request: ThreadRequest = { id: this.#nextId++, input: task.input };
    try {
      thread.worker.postMessage(request, []);
    } catch (error) {
      // What cannot be passed between threads, such as a value that nests too deep.
      thread.task = undefined;
      task.cancelDeadline();
      task.settled.reject(error);
      this.#continue(thread);
    }
  }

  #accept(thread: Thread<Input, Output>, reply: ThreadReply): void {
    const { task } = thread;
    if (task === undefined) return;
    thread.task = undefined;
    task.cancelDeadline();
    if ('failure' in reply) task.settled.reject(new Error(`a thread could not do its task: ${reply.failure}`));
    else task.settled.resolve(reply.output as Output);
    this.#continue(thread);
  }

  #continue(thread: Thread<Input, Output>): void {
    const next = this.#takeNext();
    if (next !== undefined) {
      this.#give(thread, next);
      return;
    }
    const { clock, idleMillis } = this.#options;
    thread.cancelIdle = clock.schedule(idleMillis, () => this.#drop(thread));
  }

  #enqueue(task: Task<Input, Output>): void {
    const others = this.#waiting.get(task.party);
    if (others === undefined) this.#waiting.set(task.party, [task]);
    else others.push(task);
    this.#waitingCount += 1;
  }

  /** The oldest task of the party whose turn it is, which then waits for all others to have theirs. */
  #takeNext(): Task<Input, Output> | undefined {
    const [turn] = this.#waiting;
    if (turn === undefined) return undefined;
    const [party, tasks] = turn;
    const [task] = tasks.splice(0, 1);
    this.#waiting.delete(party);
    if (tasks.length > 0) this.#waiting.set(party, tasks);
    this.#waitingCount -= 1;
    return task;
  }

  #leave(task: Task<Input, Output>): void {
    const tasks = this.#waiting.get(task.party);
    const place = tasks?.indexOf(task) ?? -1;
    if (tasks === undefined || place < 0) return;
    tasks.splice(place, 1);
    if (tasks.length === 0) this.#waiting.delete(task.party);
    this.#waitingCount -= 1;
  }

  #expire(task: Task<Input, Output>): void {
    this.#leave(task);
    const thread = [...this.#threads].find((one) => one.task === task);
    this.#refuse(task, 'deadline');
    if (thread !== undefined) this.#replace(thread);
  }

  #fail(thread: Thread<Input, Output>, error: Error): void {
    if (!this.#threads.has(thread)) return;
    thread.task?.cancelDeadline();
    thread.task?.settled.reject(new Error('a thread ended with its task undone', { cause: error }));
    this.#replace(thread);
  }

  /** Ends a thread, and lets the next task have a new one. */
  #replace(thread: Thread<Input, Output>): void {
    this.#drop(thread);
    let next = this.#takeNext();
    // Those that came together end together: a thread begun for each would only be ended again.
    while (next !== undefined && next.deadlineMillis <= this.#options.clock.now()) next = this.#takeNext();
    if (next !== undefined) this.#give(this.#start(), next);
  }

  #drop(thread: Thread<Input, Output>): void {
    thread.cancelIdle?.();
    thread.task = undefined;
    this.#threads.delete(thread);
    void thread.worker.terminate();
  }

  #refuse(task: Task<Input, Output>, reason: 'deadline' | 'closed'): void {
    task.cancelDeadline();
    task.settled.reject(new ThreadPoolRefusal(reason));
  }
}
