import type { IncomingMessage } from 'node:http';

import { RequestError } from './connect-api.ts';
import type { ApiClient } from './connect-api.ts';

/** What requests go to, and from how many at once. */
export interface LoadOptions {
  readonly client: ApiClient;
  /** Collection in which objects are created. */
  readonly path: string;
  /** Collections that are listed. */
  readonly listed: readonly string[];
  readonly workers: number;
}

/** How a load went until nobody served it any more. */
export interface LoadSummary {
  /** What no client should see: half of an answer, or one that is not a success. */
  readonly faults: readonly string[];
  /** Objects whose creation was answered, or not answered at all. */
  readonly writes: readonly { readonly name: string; readonly isStored: boolean }[];
  /** Requests by how they ended. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Creates and lists objects until a request is not answered any more. */
export class LoadUntilEnd {
  readonly #options: LoadOptions;
  readonly #faults: string[] = [];
  readonly #writes: { name: string; isStored: boolean }[] = [];
  readonly #counts: Record<string, number> = {};
  readonly #working: Promise<unknown>;
  #sent = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#working = Promise.all(Array.from({ length: options.workers }, (_, worker) => this.#work(worker)));
  }

  /** How many requests were answered so far. */
  get answered(): number {
    return this.#counts['answered'] ?? 0;
  }

  /** Waits until every worker was refused. */
  async end(): Promise<LoadSummary> {
    await this.#working;
    return { faults: this.#faults, writes: this.#writes, counts: this.#counts };
  }

  async #work(worker: number): Promise<void> {
    const { path, listed } = this.#options;
    for (;;) {
      const turn = (this.#sent += 1);
      const name = `load-${worker}-${turn}`;
      const isRefused =
        turn % 2 === 0
          ? await this.#send('GET', listed[(turn / 2) % listed.length] ?? '')
          : await this.#send('POST', path, name);
      if (isRefused) return;
    }
  }

  /** Returns whether nobody took the request because nobody listens. */
  async #send(method: string, path: string, name?: string): Promise<boolean> {
    let answer: IncomingMessage;
    try {
      answer = await this.#options.client.open(
        method,
        path,
        name === undefined ? {} : { body: { metadata: { name } } },
      );
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (name !== undefined) this.#writes.push({ name, isStored: false });
      this.#count(`${error.code}${error.isReused ? ' on a kept connection' : ''}`);
      return error.code === 'ECONNREFUSED';
    }
    try {
      const text = await readText(answer);
      JSON.parse(text);
      const status = answer.statusCode ?? 0;
      if (status >= 300) this.#faults.push(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
      if (name !== undefined) this.#writes.push({ name, isStored: status === 201 });
      this.#count('answered');
    } catch (error) {
      this.#faults.push(`${method} ${path}: half an answer: ${String(error)}`);
    }
    return false;
  }

  #count(outcome: string): void {
    this.#counts[outcome] = (this.#counts[outcome] ?? 0) + 1;
  }
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A watch that goes on until its server ends it. */
export interface WatchedToEnd {
  /** All that came, and whether its framing was ended as it should be. */
  readonly ended: Promise<{ readonly isComplete: boolean; readonly text: string }>;
}

/** Begins a watch; resolves when it is answered. */
export async function watchToEnd(client: ApiClient, path: string): Promise<WatchedToEnd> {
  const answer = await client.open('GET', path);
  if (answer.statusCode !== 200) throw new Error(`the watch was answered ${answer.statusCode}`);
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => (text += chunk));
  answer.on('error', () => undefined);
  const ended = new Promise<{ isComplete: boolean; text: string }>((resolve) => {
    answer.once('close', () => resolve({ isComplete: answer.complete, text }));
  });
  return { ended };
}
