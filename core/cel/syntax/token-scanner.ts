import { endOfInput, tokenKind } from './token-kind.ts';

const code = (character: string): number => character.charCodeAt(0);
const backslash = code('\\');
const doubleQuote = code('"');
const singleQuote = code("'");
const backtick = code('`');
const lineFeed = code('\n');
const carriageReturn = code('\r');

const kindOfCharacter: Readonly<Record<string, number>> = {
  '[': tokenKind.leftBracket,
  ']': tokenKind.rightBracket,
  '{': tokenKind.leftBrace,
  '}': tokenKind.rightBrace,
  '(': tokenKind.leftParen,
  ')': tokenKind.rightParen,
  ',': tokenKind.comma,
  '-': tokenKind.minus,
  '?': tokenKind.question,
  ':': tokenKind.colon,
  '+': tokenKind.plus,
  '*': tokenKind.star,
  '%': tokenKind.percent,
};
const kindOfCode = new Uint8Array(128);
for (const [character, kind] of Object.entries(kindOfCharacter)) kindOfCode[code(character)] = kind;

const kindOfKeyword = new Map<string, number>([
  ['true', tokenKind.true],
  ['false', tokenKind.false],
  ['null', tokenKind.null],
  ['in', tokenKind.in],
]);

const isDigitCode = 1;
const isWordCode = 2;
const isHexCode = 4;
const isSpaceCode = 8;
const isEscapedWordCode = 16;
const classOfCode = new Uint8Array(128);
for (let each = 0; each < 128; each++) {
  const character = String.fromCharCode(each);
  if (/[0-9]/.test(character)) classOfCode[each]! |= isDigitCode;
  if (/[A-Za-z0-9_]/.test(character)) classOfCode[each]! |= isWordCode;
  if (/[0-9a-fA-F]/.test(character)) classOfCode[each]! |= isHexCode;
  if (/[ \t\r\n\f]/.test(character)) classOfCode[each]! |= isSpaceCode;
  if (/[A-Za-z0-9_./ -]/.test(character)) classOfCode[each]! |= isEscapedWordCode;
}

function is(codeUnit: number, mask: number): boolean {
  return codeUnit < 128 && (classOfCode[codeUnit]! & mask) !== 0;
}

const oneCharacterEscapes = new Set(Array.from('abfnrtv"\'\\?`', code));
const hexDigitsOfEscape = new Map([
  [code('x'), 2],
  [code('X'), 2],
  [code('u'), 4],
  [code('U'), 8],
]);

/** Splits a source into tokens, one a call; offsets are UTF-16 code units. */
export class TokenScanner {
  readonly #text: string;
  /** Kind of the token that `scan` found; 0 when there is none. */
  kind = 0;
  /** Where the token ends; without a token, the index of the character that no token could go on with. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Finds the token that begins at `start`, white space and comments included. */
  scan(start: number): void {
    const text = this.#text;
    if (start >= text.length) return this.#accept(endOfInput, start);
    const first = text.charCodeAt(start);
    if (first < 128) {
      const kind = kindOfCode[first]!;
      if (kind !== 0) return this.#accept(kind, start + 1);
      if (is(first, isDigitCode)) return this.#scanNumber(start);
      if (is(first, isWordCode)) return this.#scanWord(start, first);
      if (is(first, isSpaceCode)) return this.#accept(tokenKind.whitespace, this.#skip(start + 1, isSpaceCode));
    }
    this.#scanPunctuation(start, first);
  }

  #accept(kind: number, end: number): void {
    this.kind = kind;
    this.end = end;
  }

  #skip(start: number, mask: number): number {
    let at = start;
    while (at < this.#text.length && is(this.#text.charCodeAt(at), mask)) at++;
    return at;
  }

  #scanPunctuation(start: number, first: number): void {
    const second = this.#text.charCodeAt(start + 1);
    switch (first) {
      case doubleQuote:
      case singleQuote:
        return this.#scanString(start, tokenKind.string, false);
      case code('.'):
        return is(second, isDigitCode)
          ? this.#accept(tokenKind.float, this.#skipExponent(this.#skip(start + 2, isDigitCode)))
          : this.#accept(tokenKind.dot, start + 1);
      case code('='):
        return this.#acceptPair(start, second, '=', tokenKind.equals, 0);
      case code('!'):
        return this.#acceptPair(start, second, '=', tokenKind.notEquals, tokenKind.exclamation);
      case code('<'):
        return this.#acceptPair(start, second, '=', tokenKind.lessEquals, tokenKind.less);
      case code('>'):
        return this.#acceptPair(start, second, '=', tokenKind.greaterEquals, tokenKind.greater);
      case code('&'):
        return this.#acceptPair(start, second, '&', tokenKind.and, 0);
      case code('|'):
        return this.#acceptPair(start, second, '|', tokenKind.or, 0);
      case code('/'): {
        if (second !== first) return this.#accept(tokenKind.slash, start + 1);
        const lineEnd = this.#text.indexOf('\n', start);
        return this.#accept(tokenKind.comment, lineEnd < 0 ? this.#text.length : lineEnd);
      }
      case backtick: {
        const end = this.#skip(start + 1, isEscapedWordCode);
        if (end > start + 1 && this.#text.charCodeAt(end) === backtick) {
          return this.#accept(tokenKind.escapedIdentifier, end + 1);
        }
        return this.#accept(0, end);
      }
      default:
        return this.#accept(0, start);
    }
  }

  #acceptPair(start: number, second: number, wanted: string, pair: number, single: number): void {
    if (second === code(wanted)) return this.#accept(pair, start + 2);
    this.#accept(single, start + 1);
  }

  #scanWord(start: number, first: number): void {
    const prefix = first | 32;
    if (prefix === code('r') || prefix === code('b')) {
      if (this.#scanPrefixedString(start, prefix === code('b'))) return;
    }
    const end = this.#skip(start + 1, isWordCode);
    const length = end - start;
    const keyword = length > 1 && length < 6 ? kindOfKeyword.get(this.#text.slice(start, end)) : undefined;
    this.#accept(keyword ?? tokenKind.identifier, end);
  }

  #scanPrefixedString(start: number, isBytes: boolean): boolean {
    let quote = start + 1;
    let isRaw = !isBytes;
    if (isBytes && (this.#text.charCodeAt(quote) | 32) === code('r')) {
      isRaw = true;
      quote++;
    }
    const delimiter = this.#text.charCodeAt(quote);
    if (delimiter !== doubleQuote && delimiter !== singleQuote) return false;
    this.#scanString(quote, isBytes ? tokenKind.bytes : tokenKind.string, isRaw);
    return this.kind !== 0;
  }

  #scanString(quote: number, kind: number, isRaw: boolean): void {
    const text = this.#text;
    const delimiter = text.charCodeAt(quote);
    if (text.charCodeAt(quote + 1) === delimiter) {
      if (text.charCodeAt(quote + 2) === delimiter) {
        const end = this.#findTripleEnd(quote + 3, delimiter, isRaw);
        if (end !== undefined) return this.#accept(kind, end);
      }
      return this.#accept(kind, quote + 2);
    }
    for (let at = quote + 1; at < text.length; at++) {
      const each = text.charCodeAt(at);
      if (each === delimiter) return this.#accept(kind, at + 1);
      if (each === lineFeed || each === carriageReturn) return this.#accept(0, at);
      if (each === backslash && !isRaw) {
        const end = this.#skipEscape(at);
        if (this.kind === 0) return this.#accept(0, end);
        at = end - 1;
      }
    }
    this.#accept(0, text.length);
  }

  #findTripleEnd(start: number, delimiter: number, isRaw: boolean): number | undefined {
    const text = this.#text;
    for (let at = start; at < text.length; at++) {
      const each = text.charCodeAt(at);
      if (each === delimiter && text.charCodeAt(at + 1) === delimiter && text.charCodeAt(at + 2) === delimiter) {
        return at + 3;
      }
      if (each === backslash && !isRaw) {
        const end = this.#skipEscape(at);
        if (this.kind === 0) return undefined;
        at = end - 1;
      }
    }
    return undefined;
  }

  /** Yields where an escape ends, or with kind 0 the index of what breaks it. */
  #skipEscape(start: number): number {
    const text = this.#text;
    const first = text.charCodeAt(start + 1);
    this.kind = 1;
    if (oneCharacterEscapes.has(first)) return start + 2;
    let end: number;
    let last: number;
    const hexDigits = hexDigitsOfEscape.get(first);
    if (hexDigits !== undefined) {
      last = start + 2 + hexDigits;
      for (end = start + 2; end < last && is(text.charCodeAt(end), isHexCode);) end++;
    } else {
      last = start + 4;
      end = start + 1;
      if (first >= code('0') && first <= code('3')) {
        for (end++; end < last && text.charCodeAt(end) >= code('0') && text.charCodeAt(end) <= code('7');) end++;
      }
    }
    if (end < last) this.kind = 0;
    return end;
  }

  #scanNumber(start: number): void {
    const text = this.#text;
    if (text.charCodeAt(start) === code('0') && text.charCodeAt(start + 1) === code('x')) {
      const end = this.#skip(start + 2, isHexCode);
      if (end > start + 2) return this.#acceptInteger(end);
    }
    const end = this.#skip(start + 1, isDigitCode);
    if (text.charCodeAt(end) === code('.') && is(text.charCodeAt(end + 1), isDigitCode)) {
      return this.#accept(tokenKind.float, this.#skipExponent(this.#skip(end + 2, isDigitCode)));
    }
    const exponentEnd = this.#skipExponent(end);
    if (exponentEnd > end) return this.#accept(tokenKind.float, exponentEnd);
    this.#acceptInteger(end);
  }

  #acceptInteger(end: number): void {
    const isUint = (this.#text.charCodeAt(end) | 32) === code('u');
    this.#accept(isUint ? tokenKind.uint : tokenKind.int, isUint ? end + 1 : end);
  }

  #skipExponent(start: number): number {
    const text = this.#text;
    if ((text.charCodeAt(start) | 32) !== code('e')) return start;
    const sign = text.charCodeAt(start + 1);
    const digits = sign === code('+') || sign === code('-') ? start + 2 : start + 1;
    return is(text.charCodeAt(digits), isDigitCode) ? this.#skip(digits + 1, isDigitCode) : start;
  }
}
