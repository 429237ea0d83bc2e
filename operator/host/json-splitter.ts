const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;
const itemsName = '"items"';

/**
 * Cuts objects out of JSON that passes by, in pieces of any size, and puts something else in their place: the items of a list, or whole
 * documents, one after the other as a watch has them. Only one object at a time is held.
 */
export class JsonSplitter {
  readonly #level: number;
  readonly #replace: (object: Buffer) => Buffer;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Whether the array at the second level is the list's items. */
  #inItems = false;
  /** The last string at the first level, whose array may come next. */
  #name = '';
  #nameStarts = false;
  #captured: Buffer[] | undefined;

  /** `what` is cut out; `replace` gets the bytes of one object. */
  constructor(what: 'items' | 'documents', replace: (object: Buffer) => Buffer) {
    this.#level = what === 'documents' ? 0 : 2;
    this.#replace = replace;
  }

  /** The pieces that replace a piece. */
  push(chunk: Buffer): Buffer[] {
    const output: Buffer[] = [];
    let start = 0;
    const flush = (end: number): void => {
      if (end > start) (this.#captured ?? output).push(chunk.subarray(start, end));
      start = end;
    };
    for (let i = 0; i < chunk.length; i += 1) {
      const code = chunk[i] as number;
      if (this.#inString) {
        if (this.#nameStarts) this.#name += String.fromCharCode(code);
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) {
          this.#inString = false;
          this.#nameStarts = false;
        }
        continue;
      }
      switch (code) {
        case QUOTE:
          this.#inString = true;
          if (this.#depth === 1 && this.#level === 2) {
            this.#nameStarts = true;
            this.#name = '"';
          }
          break;
        case COMMA:
          if (this.#depth === 1) this.#name = '';
          break;
        case OPEN_OBJECT:
          if (this.#depth === this.#level && this.#captured === undefined && (this.#level === 0 || this.#inItems)) {
            flush(i);
            this.#captured = [];
          }
          this.#depth += 1;
          break;
        case OPEN_ARRAY:
          if (this.#depth === 1) this.#inItems = this.#name === itemsName;
          this.#depth += 1;
          break;
        case CLOSE_ARRAY:
          this.#depth -= 1;
          if (this.#depth === 1) this.#inItems = false;
          break;
        case CLOSE_OBJECT:
          this.#depth -= 1;
          if (this.#captured !== undefined && this.#depth === this.#level) {
            flush(i + 1);
            const bytes = Buffer.concat(this.#captured);
            this.#captured = undefined;
            output.push(this.#replace(bytes));
          }
          break;
        default:
      }
    }
    flush(chunk.length);
    return output;
  }
}
