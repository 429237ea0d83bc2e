import type { SourceText } from './source-text.ts';
import { endOfInput, tokenKind } from './token-kind.ts';
import { TokenScanner } from './token-scanner.ts';

/** Thrown by a parse of a sound source that meets a fault, which another parse describes. */
export const unsoundSource = new Error('the source has a fault');

/** The tokens of a sound source one by one, white space left out; throws `unsoundSource`. */
export class TokenCursor {
  readonly #source: SourceText;
  readonly #kinds: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  index = 0;
  /** Of the current token. */
  kind = 0;

  constructor(source: SourceText) {
    this.#source = source;
    const scanner = new TokenScanner(source.text);
    let start = 0;
    do {
      scanner.scan(start);
      if (scanner.kind === 0) throw unsoundSource;
      if (scanner.kind !== tokenKind.whitespace && scanner.kind !== tokenKind.comment) {
        this.#kinds.push(scanner.kind);
        this.#starts.push(start);
        this.#ends.push(scanner.end);
      }
      start = scanner.end;
    } while (scanner.kind !== endOfInput);
    this.kind = this.#kinds[0]!;
  }

  kindAt(index: number): number | undefined {
    return this.#kinds[index];
  }

  textAt(index: number): string {
    return this.#source.text.slice(this.#starts[index], this.#ends[index]);
  }

  /** The current token's text. */
  get text(): string {
    return this.textAt(this.index);
  }

  /** The current token's offset in code points. */
  get place(): number {
    return this.#source.toOffset(this.#starts[this.index]!);
  }

  advance(): void {
    this.kind = this.#kinds[++this.index]!;
  }

  moveTo(index: number): void {
    this.index = index;
    this.kind = this.#kinds[index]!;
  }

  /** Steps over the token, which has to be of this kind. */
  expect(kind: number): void {
    if (this.kind !== kind) throw unsoundSource;
    this.advance();
  }

  /** Steps over an identifier and yields it. */
  takeIdentifier(): string {
    const { text } = this;
    this.expect(tokenKind.identifier);
    return text;
  }

  /** Steps over the token when it is of this kind. */
  accept(kind: number): boolean {
    if (this.kind !== kind) return false;
    this.advance();
    return true;
  }

  /** Whether a sign and a number begin at an index. */
  isNegativeNumber(index: number): boolean {
    const following = this.#kinds[index + 1];
    return this.#kinds[index] === tokenKind.minus && (following === tokenKind.int || following === tokenKind.float);
  }
}
