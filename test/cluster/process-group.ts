import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import type { SupervisorEvent, SupervisorOrder } from './supervisor-messages.ts';

/** Processes that live as long as this one at most: a supervisor stops them when the pipe to it closes, for whatever reason. */
export class ProcessGroup {
  readonly #supervisor: ChildProcessByStdio<Writable, Readable, null>;
  readonly #gone: Promise<void>;
  readonly #orders: SupervisorOrder[] = [];
  readonly #pids = new Map<string, number>();
  readonly #ended = new Map<string, string>();

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
    });
  }

  /** Process ids by name of what has been started, the supervisor's own among them. */
  get pids(): ReadonlyMap<string, number> {
    return new Map([...this.#pids, ['supervisor', this.#supervisor.pid ?? 0]]);
  }

  start(order: SupervisorOrder): void {
    this.#orders.push(order);
    this.#supervisor.stdin.write(`${JSON.stringify(order)}\n`);
  }

  /** Throws, with the end of its log, when one of the processes has ended. */
  async checkAlive(): Promise<void> {
    for (const order of this.#orders) {
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
