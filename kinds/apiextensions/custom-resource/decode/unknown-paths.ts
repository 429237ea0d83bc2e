import { compareBytes } from '../../../../core/apply/path-element.ts';

/** Go's decoder reports no more. */
export const maxStrictFaults = 100;

/** So many characters of paths are answered at most; one path may be as long as a body. */
export const maxPathCharacters = 1 << 20;

/** So many characters of paths are put together at most to find out which are answered. */
const maxWork = 1 << 24;

/** So many paths are kept before all but the least are forgotten. */
const maxKept = 1_000;

/** Collects the paths of unknown fields: the least hundred of them, in order, however many there are and however long. */
export class UnknownPaths {
  #kept: string[] = [];
  /** What is not less than this is none of those answered. */
  #least: string | undefined;
  #work = 0;

  /** Whether no more is recorded. */
  get isFull(): boolean {
    return this.#work > maxWork;
  }

  add(path: string): void {
    if (this.isFull) return;
    this.#work += path.length;
    if (this.#least !== undefined && compareBytes(path, this.#least) >= 0) return;
    this.#kept.push(path);
    if (this.#kept.length < maxKept) return;
    this.#kept = this.#kept.sort(compareBytes).slice(0, maxStrictFaults);
    this.#least = this.#kept.at(-1);
  }

  /** The least paths, in order. */
  list(): string[] {
    return takeTexts(this.#kept.sort(compareBytes));
  }
}

/** The first texts, as many as are answered; one at least where there are any. */
export function takeTexts(texts: readonly string[]): string[] {
  let characters = 0;
  const end = texts.findIndex((text, i) => {
    characters += text.length;
    return i >= maxStrictFaults || (i > 0 && characters > maxPathCharacters);
  });
  return end === -1 ? [...texts] : texts.slice(0, end);
}
