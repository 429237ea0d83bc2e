import { readFile } from 'node:fs/promises';
import { waitUntil } from '../cluster/wait-until.ts';

/** An event as it was written. */
export interface RecordedEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An audit log that is being written, read as it grows. */
export class AuditTrail {
  readonly #file: string;
  /** By audit id and stage. */
  readonly #events = new Map<string, RecordedEvent>();
  #readBytes = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** The event of a request at a stage, its end unless it is said; waits until it is there. */
  async readEvent(auditId: string, stage = 'ResponseComplete'): Promise<RecordedEvent> {
    const key = `${auditId} ${stage}`;
    await waitUntil(`the audit event ${key}`, async () => {
      if (!this.#events.has(key)) await this.#read();
      return this.#events.has(key);
    });
    return this.#events.get(key) as RecordedEvent;
  }

  /** The annotations of a request's event; waits until it is there. */
  async readAnnotations(auditId: string): Promise<Readonly<Record<string, string>>> {
    return (await this.readEvent(auditId)).annotations ?? {};
  }

  async #read(): Promise<void> {
    const bytes = await readFile(this.#file).catch(() => Buffer.alloc(0));
    const end = bytes.lastIndexOf(0x0a) + 1;
    if (end <= this.#readBytes) return;
    const text = bytes.subarray(this.#readBytes, end).toString();
    this.#readBytes = end;
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const event = JSON.parse(line) as RecordedEvent;
      this.#events.set(`${event.auditID} ${event.stage}`, event);
    }
  }
}
