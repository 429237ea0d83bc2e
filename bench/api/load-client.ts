import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

import { buildGoProgram } from '../../test/cluster/build-control-plane.ts';
import type { Target } from '../../test/host/drive-requests.ts';

/** What the client is to do: so many requests (`count`), or as many as `seconds` allow. Objects are called `object-N`. */
export interface LoadTask {
  /** Of how many requests each verb is. */
  readonly mix: Partial<Record<'create' | 'update' | 'get' | 'list', number>>;
  /** Path of the collection. */
  readonly path: string;
  /** JSON of a create or an update, in which %NAME% and %COUNT% are replaced. */
  readonly body?: string;
  /** Number of the first object that is created. */
  readonly first?: number;
  /** Gets and updates take turns on this many objects. */
  readonly objects?: number;
  readonly clients: number;
  readonly count?: number;
  readonly seconds?: number;
  /** Absent: each client sends its next request when the last one is answered. */
  readonly perSecond?: number;
  /** Watches of the collection that must see every create before the task is over. */
  readonly watchers?: number;
}

/** What became of a task. */
export interface LoadResult {
  readonly count: number;
  readonly created: number;
  readonly seconds: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
  /** Of all bodies of answers; the events of watches are not among them. */
  readonly bytes: number;
  /** What the client itself used. */
  readonly cpuSeconds: number;
}

/** A load generator in a process of its own, written in Go: it takes a small part of the processor time of what it measures. */
export class LoadClient {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  private constructor(child: ChildProcess, lines: Interface) {
    this.#child = child;
    this.#lines = lines;
  }

  /** Starts one for the target, with files named after `name` in the folder. */
  static async start(target: Target, folder: string, name: string): Promise<LoadClient> {
    const program = await buildGoProgram('load-client', new URL('load-client.go', import.meta.url));
    const [authorityFile, tokenFile] = [join(folder, `${name}.crt`), join(folder, `${name}.token`)];
    await writeFile(authorityFile, target.ca);
    await writeFile(tokenFile, target.token, { mode: 0o600 });
    const child = spawn(program, [target.url, authorityFile, tokenFile], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (child.stdout === null) throw new Error('the load client was started without a pipe');
    return new LoadClient(child, createInterface({ input: child.stdout }));
  }

  /** Does one task at a time. Throws when a request is refused. */
  async drive(task: LoadTask): Promise<LoadResult> {
    this.#child.stdin?.write(`${JSON.stringify(task)}\n`);
    const [line] = (await once(this.#lines, 'line')) as [string];
    const result = JSON.parse(line) as LoadResult & { failure?: string };
    if (result.failure !== undefined) throw new Error(`the load client failed: ${result.failure}`);
    return result;
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    this.#child.kill();
    await exited;
  }
}
