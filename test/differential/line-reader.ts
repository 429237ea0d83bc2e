import type { Readable } from 'node:stream';

import { parseExactJson } from './parse-body.ts';

/** Reads lines of JSON from a stream as they come. */
export class LineReader {
  readonly #lines: string[] = [];
  #rest = '';
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(stream: Readable) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      this.#lines.push(...lines);
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    for (const event of ['end', 'close', 'error']) stream.on(event, end);
  }

  /** The next lines, parsed: this many, or fewer where the stream ends or the time is over first. */
  async take(count: number, millis: number): Promise<unknown[]> {
    const deadline = Date.now() + millis;
    while (this.#lines.length < count && !this.#ended && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now());
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#lines.splice(0, count).map(parseExactJson);
  }
}
