import { setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';
import { decodeUtf8, firstByteAsCharacter } from './decode-utf8.ts';
import type { DuplicateKey, ParsedDocument } from './parsed-document.ts';
import { quoteGo } from '../errors/quote-go.ts';

/** Go's encoding/json refuses documents that nest deeper. */
const maxDepth = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * Parses one JSON document strictly. `fault` is worded as Go's encoding/json words it; invalid UTF-8 and lone surrogates become U+FFFD.
 * An integer that a number cannot hold exactly is a bigint. Nests at most 10,000 deep, and never throws.
 */
export function parseJson(bytes: Uint8Array): ParsedDocument | { fault: string } {
  return parseJsonText(decodeUtf8(bytes));
}

/** The same for text that is already decoded. */
export function parseJsonText(text: string): ParsedDocument | { fault: string } {
  const scanner = new JsonScanner(text);
  try {
    return scanner.parse();
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.message };
    throw error;
  }
}

class SyntaxFault extends Error {}

type Container = JsonObject | JsonValue[];

class JsonScanner {
  private readonly text: string;
  private at = 0;
  private readonly duplicates: string[] = [];
  private readonly duplicateKeys = new Map<object, DuplicateKey[]>();
  /** Numbers of keys of the objects that had a key twice: to count them each time takes too long. */
  private readonly sizes = new Map<object, number>();
  private readonly numberLiterals = new Map<object, Map<string | number, string>>();
  private literal: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  parse(): ParsedDocument {
    const value = this.parseValue();
    this.skipSpace();
    if (this.at < this.text.length) throw this.unexpected('after top-level value');
    return {
      value,
      duplicates: this.duplicates,
      notes: { duplicateKeys: this.duplicateKeys, numberLiterals: this.numberLiterals },
    };
  }

  // One loop with a stack of its own: ten thousand nested calls would overflow the engine's.
  private parseValue(): JsonValue {
    const containers: Container[] = [];
    const keys: string[] = [];
    let container: Container | undefined;
    let key = '';
    for (;;) {
      let value: JsonValue;
      const code = this.nextCode();
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        if (containers.length + (container === undefined ? 0 : 1) >= maxDepth) {
          throw this.unexpected('exceeded max depth');
        }
        const opened: Container = code === OPEN_OBJECT ? {} : [];
        this.at++;
        const first = this.nextCode();
        if (first !== (code === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY)) {
          if (container !== undefined) {
            containers.push(container);
            keys.push(key);
          }
          container = opened;
          if (code === OPEN_OBJECT) key = this.parseKey();
          continue;
        }
        this.at++;
        value = opened;
      } else {
        value = this.parseScalar(code);
      }
      for (;;) {
        if (container === undefined) return value;
        this.store(container, key, value, containers, keys);
        const separator = this.nextCode();
        const isArray = Array.isArray(container);
        if (separator === COMMA) {
          this.at++;
          if (!isArray) key = this.parseKey();
          break;
        }
        if (separator !== (isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) {
          throw this.unexpected(isArray ? 'after array element' : 'after object key:value pair');
        }
        this.at++;
        value = container;
        container = containers.pop();
        if (container !== undefined) key = keys.pop() ?? '';
      }
    }
  }

  private store(container: Container, key: string, value: JsonValue, containers: Container[], keys: string[]): void {
    if (this.literal !== undefined) {
      let literals = this.numberLiterals.get(container);
      if (literals === undefined) this.numberLiterals.set(container, (literals = new Map<string | number, string>()));
      literals.set(Array.isArray(container) ? container.length : key, this.literal);
      this.literal = undefined;
    }
    if (Array.isArray(container)) {
      container.push(value);
      return;
    }
    // The plain read comes first for speed; it sees inherited names such as `constructor`, which hasOwn then rules out.
    if (container[key] !== undefined && Object.hasOwn(container, key)) {
      this.recordDuplicate(container, key, containers, keys);
      mergeDuplicate(container, key, value);
      return;
    }
    if (key === '__proto__') setOwn(container, key, value);
    else container[key] = value;
    if (this.sizes.size === 0) return;
    const size = this.sizes.get(container);
    if (size !== undefined) this.sizes.set(container, size + 1);
  }

  private recordDuplicate(container: JsonObject, key: string, containers: Container[], keys: string[]): void {
    let known = this.duplicateKeys.get(container);
    if (known === undefined) this.duplicateKeys.set(container, (known = []));
    // Kubernetes reports no more than a hundred, each once.
    if (this.duplicates.length >= 100 || known.some((duplicate) => duplicate.key === key)) return;
    const size = this.sizes.get(container) ?? Object.keys(container).length;
    this.sizes.set(container, size);
    known.push({ key, position: size });
    let path = '';
    for (const [depth, parent] of containers.entries()) {
      path += Array.isArray(parent) ? `[${parent.length}]` : `${path === '' ? '' : '.'}${keys[depth] ?? ''}`;
    }
    path += `${path === '' ? '' : '.'}${key}`;
    if (!this.duplicates.includes(path)) this.duplicates.push(path);
  }

  private parseKey(): string {
    if (this.nextCode() !== QUOTE) throw this.unexpected('looking for beginning of object key string');
    const key = this.parseString();
    if (this.nextCode() !== COLON) throw this.unexpected('after object key');
    this.at++;
    return key;
  }

  private parseScalar(code: number): JsonValue {
    switch (code) {
      case QUOTE:
        return this.parseString();
      case 0x74:
        return this.parseWord('true', true);
      case 0x66:
        return this.parseWord('false', false);
      case 0x6e:
        return this.parseWord('null', null);
      default:
        if (code === MINUS || isDigit(code)) return this.parseNumber();
        throw this.unexpected('looking for beginning of value');
    }
  }

  private parseWord<T>(word: string, value: T): T {
    if (this.text.startsWith(word, this.at)) {
      this.at += word.length;
      return value;
    }
    for (let i = 1; i < word.length; i++) {
      this.at++;
      if (this.text[this.at] !== word[i]) throw this.unexpected(`in literal ${word} (expecting '${word[i]}')`, true);
    }
    return value;
  }

  private parseString(): string {
    const { text } = this;
    const start = this.at + 1;
    let i = start;
    for (;;) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        this.at = i + 1;
        return text.slice(start, i);
      }
      if (code === BACKSLASH) break;
      if (code < 0x20 || Number.isNaN(code)) {
        this.at = i;
        throw this.unexpected('in string literal');
      }
      i++;
    }
    return this.parseEscapedString(start, i);
  }

  private parseEscapedString(start: number, firstEscape: number): string {
    const { text } = this;
    let i = firstEscape;
    for (;;) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) break;
      if (code < 0x20 || Number.isNaN(code)) {
        this.at = i;
        throw this.unexpected('in string literal');
      }
      i = code === BACKSLASH ? this.skipEscape(i + 1) : i + 1;
    }
    this.at = i + 1;
    return (JSON.parse(text.slice(start - 1, i + 1)) as string).toWellFormed();
  }

  private skipEscape(at: number): number {
    const code = this.text.charCodeAt(at);
    if (code === 0x75) {
      for (let i = 1; i <= 4; i++) {
        if (!/^[0-9a-fA-F]$/.test(this.text[at + i] ?? '')) {
          this.at = at + i;
          throw this.unexpected('in \\u hexadecimal character escape', true);
        }
      }
      return at + 5;
    }
    if (Number.isNaN(code) || !'"\\/bfnrt'.includes(String.fromCharCode(code))) {
      this.at = at;
      throw this.unexpected('in string escape code', true);
    }
    return at + 1;
  }

  private parseNumber(): number | bigint {
    const { text } = this;
    const start = this.at;
    let i = start;
    if (text.charCodeAt(i) === MINUS) i++;
    const first = text.charCodeAt(i);
    if (first === 0x30) i++;
    else i = this.skipDigits(i, 'in numeric literal');
    let isInteger = true;
    if (text.charCodeAt(i) === DOT) {
      isInteger = false;
      i = this.skipDigits(i + 1, 'after decimal point in numeric literal');
    }
    const exponent = text.charCodeAt(i);
    if (exponent === 0x65 || exponent === 0x45) {
      isInteger = false;
      i++;
      const sign = text.charCodeAt(i);
      if (sign === PLUS || sign === MINUS) i++;
      i = this.skipDigits(i, 'in exponent of numeric literal');
    }
    this.at = i;
    const literal = text.slice(start, i);
    const number = Number(literal);
    if (isInteger) {
      if (Number.isSafeInteger(number)) return number + 0;
      // Digits beyond any integer type only need to be seen as too large; converting them all would take quadratic time.
      if (literal.length <= 400) return BigInt(literal);
    }
    if (Number.isInteger(number) || !Number.isFinite(number)) this.literal = literal;
    if (!Number.isFinite(number)) return Number.MAX_VALUE * Math.sign(number);
    return number === 0 ? 0 : number;
  }

  private skipDigits(from: number, context: string): number {
    let i = from;
    while (isDigit(this.text.charCodeAt(i))) i++;
    if (i === from) {
      this.at = i;
      throw this.unexpected(context, true);
    }
    return i;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  /** Skips white space and returns the code unit there; NaN at the end. */
  private nextCode(): number {
    let code = this.text.charCodeAt(this.at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.at++;
      code = this.text.charCodeAt(this.at);
    }
    return code;
  }

  /** Where the document ends inside a token, Go's scanner is fed a space, and complains about that. */
  private unexpected(context: string, insideToken = false): SyntaxFault {
    const point = this.text.codePointAt(this.at);
    if (point === undefined && !insideToken) return new SyntaxFault('unexpected end of JSON input');
    const character = point === undefined ? ' ' : firstByteAsCharacter(String.fromCodePoint(point));
    return new SyntaxFault(`invalid character ${quoteCharacter(character)} ${context}`);
  }
}

/** Go decodes a second value of a struct field into the first one: objects merge, anything else replaces. */
function mergeDuplicate(container: JsonObject, key: string, value: JsonValue): void {
  const pending: [JsonObject, string, JsonValue][] = [[container, key, value]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [target, name, incoming] = next;
    const current = Object.hasOwn(target, name) ? target[name] : undefined;
    if (isPlainObject(current) && isPlainObject(incoming)) {
      for (const member of Object.keys(incoming)) pending.push([current, member, incoming[member] as JsonValue]);
    } else {
      setOwn(target, name, incoming);
    }
  }
}

function isPlainObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function quoteCharacter(character: string): string {
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  return `'${quoteGo(character).slice(1, -1)}'`;
}
