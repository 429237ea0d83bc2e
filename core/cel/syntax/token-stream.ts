import type { Token } from './parse-tree.ts';
import type { SourceText } from './source-text.ts';
import { endOfInput, tokenKind } from './token-kind.ts';
import { TokenScanner } from './token-scanner.ts';

/** Tokens of a source, read as far as they are asked for; characters that begin no token are reported and left out. */
export class TokenStream {
  readonly #source: SourceText;
  readonly #scanner: TokenScanner;
  readonly #report: (at: number, message: string) => void;
  readonly #all: Token[] = [];
  readonly #visible: Token[] = [];
  #next = 0;
  index = 0;

  constructor(source: SourceText, report: (at: number, message: string) => void) {
    this.#source = source;
    this.#scanner = new TokenScanner(source.text);
    this.#report = report;
    this.peek(0);
  }

  /** The token so many tokens ahead, from 0; past the end, the end. */
  peek(distance: number): Token {
    const wanted = this.index + distance;
    while (this.#visible.length <= wanted && this.#visible.at(-1)?.kind !== endOfInput) this.#read();
    return this.#visible[wanted] ?? this.#visible.at(-1)!;
  }

  /** The token before the current one. */
  previous(): Token | undefined {
    return this.#visible[this.index - 1];
  }

  advance(): void {
    if (this.peek(0).kind === endOfInput) return;
    this.index++;
    this.peek(0);
  }

  /** The text from one token to another, white space included. */
  readText(from: Token, to: Token): string {
    let text = '';
    for (const token of this.#all.slice(from.index, to.index + 1)) {
      if (token.kind === endOfInput) break;
      text += token.text;
    }
    return text;
  }

  #read(): void {
    const start = this.#next;
    const { text } = this.#source;
    this.#scanner.scan(start);
    const { kind, end } = this.#scanner;
    const at = this.#source.toOffset(start);
    if (kind === 0) {
      // the character that breaks a token is dropped with what came before it
      const isPair = (text.codePointAt(end) ?? 0) > 0xffff;
      this.#next = Math.min(end + (isPair ? 2 : 1), text.length);
      this.#report(at, `token recognition error at: '${text.slice(start, this.#next)}'`);
      return;
    }
    this.#next = end;
    const token = { kind, text: text.slice(start, end), at, index: this.#all.length };
    this.#all.push(token);
    if (kind !== tokenKind.whitespace && kind !== tokenKind.comment) this.#visible.push(token);
  }
}
