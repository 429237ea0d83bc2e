/** Where a character stands: lines from 1, columns from 0, in code points; both -1 for nowhere. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** The position of a fault that concerns the source as a whole. */
export const nowhere: SourcePosition = { line: -1, column: -1 };

const surrogate = /[\ud800-\udfff]/;

/** A source with its lines; lone surrogates are replaced. */
export class SourceText {
  readonly text: string;
  /** Code points before each UTF-16 code unit; absent when the two agree. */
  readonly #codePoints: Uint32Array | undefined;
  #lineStarts: number[] | undefined;

  constructor(source: string) {
    this.text = surrogate.test(source) ? source.toWellFormed() : source;
    this.#codePoints = surrogate.test(this.text) ? countCodePoints(this.text) : undefined;
  }

  /** Length in code points. */
  get size(): number {
    return this.toOffset(this.text.length);
  }

  /** The offset in code points of an index in code units. */
  toOffset(index: number): number {
    return this.#codePoints === undefined ? index : this.#codePoints[index]!;
  }

  /** The position of an offset in code points. */
  locate(offset: number): SourcePosition {
    // cel-go takes an empty source for a line that ended before it began
    if (this.text === '') return { line: 1, column: offset - 1 };
    const starts = this.#startsOfLines();
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - starts[low]! };
  }

  /** A line's text, from 1; undefined when there is none. */
  readLine(line: number): string | undefined {
    return this.text === '' ? undefined : this.text.split('\n')[line - 1];
  }

  #startsOfLines(): number[] {
    if (this.#lineStarts !== undefined) return this.#lineStarts;
    const starts = [0];
    for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) {
      starts.push(this.toOffset(at + 1));
    }
    this.#lineStarts = starts;
    return starts;
  }
}

function countCodePoints(text: string): Uint32Array {
  const counts = new Uint32Array(text.length + 1);
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xdc00 && unit < 0xe000) counts[index] = count - 1;
    else counts[index] = count++;
  }
  counts[text.length] = count;
  return counts;
}
