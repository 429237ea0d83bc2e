import { Worker } from 'node:worker_threads';
import { parseJsonAsYaml, parseYaml } from '../../core/decode/parse-yaml.ts';
import type { ParsedDocument } from '../../core/decode/parsed-document.ts';
import type { YamlReply, YamlRequest } from './yaml-messages.ts';

type ParseResult = ParsedDocument | { fault: string };

/** Smaller documents take a few milliseconds, less than a thread is worth. */
const INLINE_BYTES = 32 << 10;
const IDLE_MILLIS = 30_000;
const HEAP_MEGABYTES = 512;

/** One thread that parses documents in turn. It starts with the first one and ends when there have been none for a while. */
class YamlThread {
  readonly #waiting = new Map<number, PromiseWithResolvers<ParseResult>>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;

  parse(bytes: Uint8Array): Promise<ParseResult> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    const waiting = Promise.withResolvers<ParseResult>();
    const request: YamlRequest = { id: this.#nextId++, bytes };
    this.#waiting.set(request.id, waiting);
    worker.postMessage(request, []);
    return waiting.promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./yaml-thread.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    worker.unref();
    worker.on('message', (reply: YamlReply) => this.#accept(reply));
    // A document that takes all of the thread's memory ends the thread, not the program.
    worker.on('error', (error) => this.#end(worker, error as Error));
    worker.on('exit', () => this.#end(worker, new Error('the thread that parses YAML has ended')));
    return worker;
  }

  #accept(reply: YamlReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('failure' in reply) waiting?.reject(new Error(`a YAML document could not be parsed: ${reply.failure}`));
    else waiting?.resolve(reply.parsed);
    if (this.#waiting.size > 0) return;
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    }, IDLE_MILLIS).unref();
  }

  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

const thread = new YamlThread();

/**
 * As `parseYaml`, but a large document is parsed in a thread of its own, since the parser takes about half a second for each megabyte.
 * Rejects when the document cannot be parsed with the memory that there is.
 */
export async function parseYamlAside(bytes: Uint8Array): Promise<ParseResult> {
  if (bytes.byteLength <= INLINE_BYTES) return parseYaml(bytes);
  return parseJsonAsYaml(bytes) ?? thread.parse(bytes);
}
