import { Transform, type TransformCallback } from 'node:stream';

const LINE_END = 0x0a;

/** Hands lines on until it is asked to end; then it finishes the one that is under way, and drops what follows. */
export class LineStream extends Transform {
  #isAtLineEnd = true;
  #onLineEnd: (() => void) | undefined;
  #isOver = false;

  /** Calls `onLineEnd` as soon as a line has ended, which may be at once; nothing is handed on any more from then on. */
  finishLine(onLineEnd: () => void): void {
    if (this.#isOver) return;
    this.#onLineEnd = onLineEnd;
    if (this.#isAtLineEnd) this.#finish();
  }

  #finish(): void {
    this.#isOver = true;
    this.#onLineEnd?.();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    if (this.#isOver) {
      callback();
      return;
    }
    const at = this.#onLineEnd === undefined ? -1 : chunk.indexOf(LINE_END);
    if (at < 0) {
      this.#isAtLineEnd = chunk.at(-1) === LINE_END;
      callback(null, chunk);
      return;
    }
    this.push(chunk.subarray(0, at + 1));
    this.#finish();
    callback();
  }
}
