import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { packRows, unpackRows } from './packed-rows.ts';
import type { HistoryRow, PackedRow } from './packed-rows.ts';
import type { OpenedFile, RowPage, WriterFault, WriterOptions, WriterReply, WriterRequest } from './writer-messages.ts';

// A larger buffer is left to the garbage collector instead of being kept for the next batch.
const SPARE_BYTES = 1 << 20;

type Unnumbered<R> = R extends { readonly id: number } ? Omit<R, 'id'> : never;

interface Waiting {
  readonly resolve: (reply: WriterReply) => void;
  readonly reject: (error: Error) => void;
}

/** The main thread's end of the writer thread. Every method rejects with the writer's error, or once the thread has ended. */
export class WriterClient {
  readonly #worker: Worker;
  readonly #acceptObject: (row: HistoryRow) => void;
  readonly #onEnd: (error: Error) => void;
  readonly #opened = Promise.withResolvers<OpenedFile>();
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #spare: ArrayBuffer | undefined;
  #ended: Error | undefined;
  #isOpen = false;
  #isClosing = false;

  private constructor(
    options: WriterOptions,
    accept: (row: HistoryRow) => void,
    onEnd: (error: Error) => void = () => undefined,
  ) {
    this.#acceptObject = accept;
    this.#onEnd = onEnd;
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: options, execArgv: [] });
    this.#worker.on('message', (reply: WriterReply) => this.#accept(reply));
    this.#worker.on('error', (error) => this.#end(error as Error));
    this.#worker.on('exit', () => this.#end(new Error('the writer thread has ended')));
  }

  /**
   * Starts the thread on the file and passes every current object to `accept` before it resolves. `onEnd` is told when the thread ends
   * later on without having been asked to.
   */
  static async open(
    options: WriterOptions,
    accept: (row: HistoryRow) => void,
    onEnd?: (error: Error) => void,
  ): Promise<{ readonly writer: WriterClient; readonly opened: OpenedFile }> {
    const writer = new WriterClient(options, accept, onEnd);
    return { writer, opened: await writer.#opened.promise };
  }

  /** Resolves once the rows are durable. */
  async commit(rows: readonly HistoryRow[], epoch: number): Promise<void> {
    const packed = packRows(rows, this.#spare);
    this.#spare = undefined;
    await this.#ask({ type: 'commit', epoch, rows: packed, count: rows.length }, [packed]);
  }

  /** Changes in (`after`, `upTo`] under `prefix`; `reached` may be short of `upTo`. Values are views of one page. */
  async readChanges(
    prefix: string,
    range: { readonly after: number; readonly upTo: number; readonly max: number; readonly keysOnly: boolean },
  ): Promise<{ readonly rows: HistoryRow[]; readonly reached: number }> {
    const reply = await this.#ask({ type: 'changes', prefix, ...range });
    if (reply.type !== 'page') throw new Error(`unexpected reply ${reply.type}`);
    return { rows: unpackPage(reply), reached: reply.reached };
  }

  /** The changes of these revisions, in the order asked. */
  async readRevisions(revisions: readonly number[]): Promise<HistoryRow[]> {
    const reply = await this.#ask({ type: 'values', revisions });
    if (reply.type !== 'page') throw new Error(`unexpected reply ${reply.type}`);
    return unpackPage(reply);
  }

  async compact(revision: number): Promise<void> {
    await this.#ask({ type: 'compact', revision });
  }

  async writeSetting(name: string, value: string): Promise<void> {
    await this.#ask({ type: 'setting', name, value });
  }

  /** Closes the file and ends the thread. */
  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#isClosing = true;
    const exited = once(this.#worker, 'exit');
    await this.#ask({ type: 'close' });
    await exited;
  }

  #ask(request: Unnumbered<WriterRequest>, transfer: ArrayBuffer[] = []): Promise<WriterReply> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...request, id }, transfer);
    });
  }

  #accept(reply: WriterReply): void {
    if (reply.type === 'objects')
      return unpackRows(reply.rows, reply.count, (row) => this.#acceptObject(decodeKey(row)));
    if (reply.type === 'opened') {
      this.#isOpen = true;
      return this.#opened.resolve(reply);
    }
    if (reply.type === 'openFault') return this.#opened.reject(toError(reply.fault));
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.type === 'done' && reply.spare !== undefined && reply.spare.byteLength <= SPARE_BYTES) {
      this.#spare = reply.spare;
    }
    if (reply.type === 'fault') waiting?.reject(toError(reply.fault));
    else waiting?.resolve(reply);
  }

  #end(error: Error): void {
    const isFirst = this.#ended === undefined;
    this.#ended ??= error;
    this.#opened.reject(error);
    for (const waiting of this.#waiting.values()) waiting.reject(this.#ended);
    this.#waiting.clear();
    if (isFirst && this.#isOpen && !this.#isClosing) this.#onEnd(error);
  }
}

function unpackPage(page: RowPage): HistoryRow[] {
  const rows: HistoryRow[] = [];
  unpackRows(page.rows, page.count, (row) => rows.push(decodeKey(row)));
  return rows;
}

function decodeKey(row: PackedRow): HistoryRow {
  return { ...row, key: row.key.toString() };
}

function toError({ message, code, errcode }: WriterFault): Error {
  return Object.assign(new Error(message), { code, errcode });
}
