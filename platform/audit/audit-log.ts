import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { createStream } from 'rotating-file-stream';
import type { Clock } from '../process/clock.ts';
import { formatAuditEvent, type AuditEvent } from './audit-event.ts';
import { type LogRetention, nameFinishedLog, planLogRetention } from './plan-log-retention.ts';

/** Where events go, and for how long they stay. */
export interface AuditLogOptions extends LogRetention {
  /** Path of the file; `-` for standard output, which is never turned over. */
  readonly file: string;
  /** Size at which a file is finished and the next one begun. */
  readonly maxSizeMegabytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Counts events that are lost. */
  readonly lost: Pick<Counter, 'inc'>;
  /** How much may wait for a slow disk before events are lost; absent: 32 MiB. */
  readonly maxWaitingBytes?: number;
}

const defaultMaxWaitingBytes = 32 << 20;
const reopenDelayMillis = 1000;

/**
 * A file of audit events, one a line. Lines are written in turns of the event loop, so that nobody waits for the disk. When they cannot
 * be written they wait, up to a bound, and are counted and logged as lost beyond it.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  #stream: Writable | undefined;
  #lines: string[] = [];
  #waitingBytes = 0;
  #isFlushDue = false;
  #isClosed = false;
  #isLosing = false;
  #pruning: Promise<void> = Promise.resolve();

  private constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  /** Opens the file, whose folder is made when there is none. Rejects when it cannot be written. */
  static async open(options: AuditLogOptions): Promise<AuditLog> {
    const log = new AuditLog(options);
    await log.#open();
    return log;
  }

  /** Records an event. Never throws. */
  write(event: AuditEvent): void {
    const line = formatAuditEvent(event);
    const bytes = Buffer.byteLength(line);
    const { lost, logger, maxWaitingBytes = defaultMaxWaitingBytes } = this.#options;
    if (this.#isClosed || this.#waitingBytes + bytes > maxWaitingBytes) {
      lost.inc({ plugin: 'log' });
      if (!this.#isLosing)
        logger.error({ file: this.#options.file }, 'audit events are lost, the log cannot be written');
      this.#isLosing = true;
      return;
    }
    this.#isLosing = false;
    this.#waitingBytes += bytes;
    this.#lines.push(line);
    this.#scheduleFlush();
  }

  /** Writes what waits and closes the file. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#flush();
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream !== undefined && stream !== process.stdout && !stream.destroyed) {
      await new Promise<void>((resolve) => {
        stream.once('close', resolve);
        stream.end();
      });
    }
    await this.#pruning;
  }

  async #open(): Promise<void> {
    const { file, maxSizeMegabytes, clock } = this.#options;
    if (file === '-') {
      // Whoever read it is gone: each write says so, and is counted.
      process.stdout.on('error', () => undefined);
      this.#stream = process.stdout;
      return;
    }
    const name = (time: number | Date | null, index = 1): string =>
      time === null ? basename(file) : nameFinishedLog(basename(file), clock.now(), index);
    const stream = createStream(name, { path: dirname(file), size: `${maxSizeMegabytes}M`, mode: 0o600 });
    await new Promise<void>((resolve, reject) => {
      stream.once('open', () => resolve());
      stream.once('error', reject);
    });
    stream.on('error', (error) => this.#fail(stream, error));
    stream.on('rotated', () => this.#prune());
    this.#stream = stream;
    this.#prune();
  }

  /** What was on its way to a file that failed is lost; what comes after waits for the next attempt. */
  #fail(stream: Writable, error: Error): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    this.#options.logger.error({ err: error, file: this.#options.file }, 'the audit log failed, it is opened again');
    this.#reopenLater();
  }

  #reopenLater(): void {
    this.#options.clock.schedule(reopenDelayMillis, () => {
      if (this.#isClosed) return;
      this.#open().then(
        () => this.#scheduleFlush(),
        () => this.#reopenLater(),
      );
    });
  }

  #scheduleFlush(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    const stream = this.#stream;
    if (stream === undefined || this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    const block = Buffer.from(lines.join(''));
    stream.write(block, (error) => {
      this.#waitingBytes -= block.length;
      if (error) this.#options.lost.inc({ plugin: 'log' }, lines.length);
    });
  }

  #prune(): void {
    const { file, logger } = this.#options;
    this.#pruning = this.#pruning
      .then(async () => {
        const names = await readdir(dirname(file));
        const surplus = planLogRetention(basename(file), names, this.#options, this.#options.clock.now());
        for (const name of surplus) await rm(join(dirname(file), name), { force: true });
      })
      .catch((error: unknown) => logger.warn({ err: error, file }, 'old audit logs could not be removed'));
  }
}
