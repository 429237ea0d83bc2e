/** From this length on, a search of JavaScript may take the product of both lengths. */
const shortPart = 64;

/** For each prefix of `part` the length of its longest border, as Knuth, Morris and Pratt have it. */
function measureBorders(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let i = 1; i < part.length; i++) {
    while (length > 0 && part.charCodeAt(i) !== part.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(i) === part.charCodeAt(length)) length++;
    borders[i] = length;
  }
  return borders;
}

/** Where a part, whose borders are given, occurs from `from` on: first, or with `isLast` last; -1: nowhere. */
function scan(text: string, part: string, borders: Int32Array, from: number, isLast: boolean): number {
  let matched = 0;
  let last = -1;
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    while (matched > 0 && unit !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (unit === part.charCodeAt(matched)) matched++;
    if (matched < part.length) continue;
    last = i - matched + 1;
    if (!isLast) break;
    matched = borders[matched - 1] ?? 0;
  }
  return last;
}

/** Finds a part in a text again and again, in a time that grows with the lengths alone, whatever the texts. */
export class TextSearch {
  readonly #text: string;
  readonly #part: string;
  readonly #borders: Int32Array | undefined;

  /** `part` is not empty. */
  constructor(text: string, part: string) {
    this.#text = text;
    this.#part = part;
    this.#borders = part.length > shortPart && part.length <= text.length ? measureBorders(part) : undefined;
  }

  /** Where the part occurs first at or after `from`, in code units; -1: nowhere. */
  find(from: number): number {
    if (this.#borders === undefined) return this.#text.indexOf(this.#part, from);
    return scan(this.#text, this.#part, this.#borders, from, false);
  }
}

/** Where `part`, which is not empty, occurs last in `text` at or before `from`, in code units; -1: nowhere. */
export function findLastText(text: string, part: string, from: number): number {
  if (part.length <= shortPart) return text.lastIndexOf(part, from);
  return scan(text.slice(0, from + part.length), part, measureBorders(part), 0, true);
}
