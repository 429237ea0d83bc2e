import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { systemClock } from '../process/clock.ts';

/** One line to the process that does tasks. */
export interface X509Line {
  readonly task: string;
  readonly given: unknown;
}

/** One line from it: the answer, or the text of an error. */
export type X509Reply = { readonly answer: unknown } | { readonly failure: string };

type Child = ChildProcessByStdio<Writable, Readable, null>;
type Pending = PromiseWithResolvers<unknown>;

/** Certificates are mostly made several at a time, and then none for months. */
const idleMillis = 1_000;
const deadlineMillis = 30_000;
const program = fileURLToPath(new URL('./x509-program.ts', import.meta.url));
let running: Promise<X509Process> | undefined;

/** `undefined` when it is none. */
function readReply(line: string): X509Reply | undefined {
  try {
    const reply = JSON.parse(line) as unknown;
    return typeof reply === 'object' && reply !== null ? (reply as X509Reply) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A process of the library of certificates, which does one task after another. The library takes twenty megabytes that no thread and no
 * program gives back; a process that has ended does, and whoever sends malicious requests meets nothing else in it.
 */
class X509Process {
  readonly #child: Child;
  readonly #pending: Pending[] = [];
  readonly #leave: () => void;
  #cancelIdle: () => void = () => undefined;
  #cancelDeadline: () => void = () => undefined;
  #rest = '';

  /** `leave` is called when it takes no tasks any more; more than once, perhaps. Throws what kept it from being started. */
  constructor(child: Child, leave: () => void) {
    this.#child = child;
    this.#leave = leave;
    child.once('error', (error) => this.#fail(error));
    if (child.pid === undefined) throw new Error('the process of certificates could not be started');
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    // It says why it cannot be written to by ending.
    child.stdin.on('error', () => undefined);
    child.once('close', (code) => this.#fail(new Error(`the process of certificates ended with ${code}`)));
  }

  run(line: X509Line): Promise<unknown> {
    const settled = Promise.withResolvers<unknown>();
    this.#cancelIdle();
    this.#hold(true);
    this.#pending.push(settled);
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
    if (this.#pending.length === 1) this.#watch();
    return settled.promise;
  }

  /** Gives the task that is done now its time. */
  #watch(): void {
    this.#cancelDeadline();
    if (this.#pending.length === 0) return;
    this.#cancelDeadline = systemClock.schedule(deadlineMillis, () =>
      this.#kill('a task with certificates took too long'),
    );
  }

  #kill(message: string): void {
    this.#child.kill('SIGKILL');
    this.#fail(new Error(message));
  }

  /** What nobody waits for must not keep the program from ending. */
  #hold(isHeld: boolean): void {
    const { stdin, stdout } = this.#child as unknown as Record<'stdin' | 'stdout', { ref(): void; unref(): void }>;
    for (const one of [this.#child, stdin, stdout]) {
      if (isHeld) one.ref();
      else one.unref();
    }
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const reply = readReply(line);
      if (reply === undefined) return this.#kill('the process of certificates wrote what is no answer');
      const settled = this.#pending.shift();
      this.#watch();
      if ('failure' in reply) settled?.reject(new Error(`a task with certificates failed: ${reply.failure}`));
      else settled?.resolve(reply.answer);
    }
    if (this.#pending.length > 0) return;
    this.#hold(false);
    this.#cancelIdle = systemClock.schedule(idleMillis, () => this.#end());
  }

  #end(): void {
    this.#leave();
    this.#child.stdin.end();
  }

  #fail(error: Error): void {
    this.#cancelIdle();
    this.#cancelDeadline();
    this.#leave();
    for (const settled of this.#pending.splice(0)) settled.reject(error);
  }
}

/** Loaded late: most programs never do any of this. */
async function startProcess(leave: () => void): Promise<X509Process> {
  const { spawn } = await import('node:child_process');
  return new X509Process(spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] }), leave);
}

function findProcess(): Promise<X509Process> {
  if (running !== undefined) return running;
  const started = startProcess(() => {
    if (running === started) running = undefined;
  });
  running = started;
  started.catch(() => {
    if (running === started) running = undefined;
  });
  return started;
}

/**
 * Does a task with the library of certificates, in a process of its own that ends soon after; the answer is of the task's type. Rejects when
 * it fails or takes too long.
 */
export async function runX509(task: string, given: unknown): Promise<unknown> {
  const found = await findProcess();
  return found.run({ task, given });
}
