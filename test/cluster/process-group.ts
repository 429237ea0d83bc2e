import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import type { RemoveOrder, StartOrder, SupervisorEvent, SupervisorOrder } from './supervisor-messages.ts';

/** Processes that live as long as this one at most: a supervisor stops them when the pipe to it closes, for whatever reason. */
export class ProcessGroup {
  readonly #supervisor: ChildProcessByStdio<Writable, Readable, null>;
  readonly #gone: Promise<void>;
  readonly #orders = new Map<string, StartOrder>();
  readonly #pids = new Map<string, number>();
  readonly #ended = new Map<string, string>();
  readonly #watchers = new Set<() => void>();

  /** `folder` is removed once the processes are gone. */
  constructor(folder: string) {
    const program = fileURLToPath(new URL('supervisor.ts', import.meta.url));
    // In a session of its own, so that a Ctrl-C at the terminal reaches us only and the order of stopping is ours.
    this.#supervisor = spawn(process.execPath, [program, folder], {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#gone = new Promise((resolve) => {
      this.#supervisor.on('close', () => resolve());
      this.#supervisor.on('error', () => resolve());
    });
    this.#supervisor.stdin.on('error', () => undefined);
    createInterface({ input: this.#supervisor.stdout }).on('line', (line) => {
      const event = JSON.parse(line) as SupervisorEvent;
      if (event.type === 'started') this.#pids.set(event.name, event.pid);
      else this.#ended.set(event.name, event.reason);
      for (const look of this.#watchers) look();
    });
  }

  /** Process ids by name of what has been started, the supervisor's own among them. */
  get pids(): ReadonlyMap<string, number> {
    return new Map([...this.#pids, ['supervisor', this.#supervisor.pid ?? 0]]);
  }

  /** Starts a process; one that has ended may be started again under its name. */
  start(order: Omit<StartOrder, 'type'>): void {
    this.#orders.set(order.name, { ...order, type: 'start' });
    this.#pids.delete(order.name);
    this.#ended.delete(order.name);
    this.#send({ ...order, type: 'start' });
  }

  /** Has the thing removed when the group stops, after its processes and newest first. */
  removeAtEnd(what: RemoveOrder['what'], name: string): void {
    this.#send({ type: 'remove', what, name });
  }

  #send(order: SupervisorOrder): void {
    this.#supervisor.stdin.write(`${JSON.stringify(order)}\n`);
  }

  async #waitFor<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const look = (): void => {
          this.#watchers.delete(look);
          resolve();
        };
        this.#watchers.add(look);
        void this.#gone.then(look);
      });
    }
  }

  /** Resolves to the process id of a process that was ordered; 0 where it could not start. */
  waitUntilStarted(name: string): Promise<number> {
    return this.#waitFor(() => this.#pids.get(name) ?? (this.#ended.has(name) ? 0 : undefined));
  }

  /** Resolves when a process that was ordered has ended; that it has is then no failure to `checkAlive`. */
  async waitUntilEnded(name: string): Promise<void> {
    await this.#waitFor(() => this.#ended.get(name));
    this.#orders.delete(name);
    this.#pids.delete(name);
  }

  /** Throws, with the end of its log, when one of the processes has ended. */
  async checkAlive(): Promise<void> {
    for (const order of this.#orders.values()) {
      const reason = this.#ended.get(order.name);
      if (reason === undefined) continue;
      const log = await readFile(order.logFile, 'utf8').catch(() => '');
      throw new Error(`${order.name} ended with ${reason}: ${log.slice(-3000)}`);
    }
  }

  /** Stops every process and resolves when all are gone, and the folder with them; may be called again. */
  async stop(): Promise<void> {
    this.#supervisor.stdin.end();
    await this.#gone;
  }
}
