import type { JsonPath, JsonPathStep } from './json-path.ts';

/** Why a text is no path, in Kubernetes' words. */
export interface JsonPathFault {
  readonly fault: string;
}

/** Nobody writes more; bounds the work of one evaluation. */
const maxSteps = 100;
/** In code units. */
const maxLength = 10_000;

/** Reads a path in kubectl's JSONPath, such as `.status.conditions[?(@.type=="Ready")].status`. */
export function parseJsonPath(text: string): JsonPath | JsonPathFault {
  if (text.length > maxLength) return { fault: `more than ${maxLength} characters` };
  try {
    const steps = new JsonPathParser(text).parse();
    return countSteps(steps) > maxSteps ? { fault: `more than ${maxSteps} steps` } : { steps };
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.message };
    throw error;
  }
}

class SyntaxFault extends Error {}

/** All steps, those within unions and filters included. */
function countSteps(steps: readonly JsonPathStep[]): number {
  let count = steps.length;
  for (const step of steps) {
    if (step.step === 'union') for (const path of step.paths) count += countSteps(path);
    else if (step.step === 'filter') count += countSteps(step.left) + countSteps(step.right);
  }
  return count;
}

function trimSpaces(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && text[from] === ' ') from++;
  while (to > from && text[to - 1] === ' ') to--;
  return text.slice(from, to);
}

const terminators = new Set([' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}', '']);
const slicePattern = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const filterPattern = /^([^!<>=]+)([!<>=]+)([\s\S]+)$/;
const alphaNumeric = /^[\p{L}\p{Nd}_]$/u;
const digit = /^\p{Nd}$/u;

class JsonPathParser {
  readonly #characters: readonly string[];
  readonly #steps: JsonPathStep[] = [];
  #at = 0;

  constructor(text: string) {
    this.#characters = [...text];
  }

  parse(): readonly JsonPathStep[] {
    while (!this.#isAtEnd()) this.#parseStep();
    return this.#steps;
  }

  /** The closing brace that kubectl puts around the path ends it. */
  #isAtEnd(): boolean {
    return this.#at >= this.#characters.length || this.#characters[this.#at] === '}';
  }

  #startsWith(text: string): boolean {
    return this.#characters.slice(this.#at, this.#at + text.length).join('') === text;
  }

  #next(): string {
    return this.#characters[this.#at++] ?? '';
  }

  #parseStep(): void {
    if (this.#startsWith('[?(')) return this.#parseFilter();
    if (this.#startsWith('..')) return this.#parseDescent();
    const character = this.#next();
    switch (character) {
      case '\r':
      case '\n':
        throw new SyntaxFault('unclosed action');
      case ' ':
      case '@':
      case '$':
        return;
      case '[':
        return this.#parseBrackets();
      case '"':
      case "'":
        return this.#parseQuote(character);
      case '.':
        return this.#parseField();
      default:
    }
    this.#at--;
    if (character === '+' || character === '-' || digit.test(character)) return this.#parseNumber();
    if (alphaNumeric.test(character)) return this.#parseWord();
    const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    throw new SyntaxFault(`unrecognized character in action: U+${point} '${character}'`);
  }

  #parseDescent(): void {
    if (this.#steps.at(-1)?.step === 'descent') throw new SyntaxFault('invalid multiple recursive descent');
    this.#at += 2;
    this.#steps.push({ step: 'descent' });
    if (alphaNumeric.test(this.#characters[this.#at] ?? '')) this.#parseField();
  }

  #parseField(): void {
    const start = this.#at;
    while (!terminators.has(this.#characters[this.#at] ?? '')) {
      this.#at += this.#characters[this.#at] === '\\' ? 2 : 1;
    }
    this.#at = Math.min(this.#at, this.#characters.length);
    const name = this.#characters.slice(start, this.#at).join('');
    this.#steps.push(name === '*' ? { step: 'wildcard' } : { step: 'field', name: name.replaceAll('\\', '') });
  }

  #parseWord(): void {
    const start = this.#at;
    while (!terminators.has(this.#characters[this.#at] ?? '')) this.#at++;
    const name = this.#characters.slice(start, this.#at).join('');
    const isBool = name === 'true' || name === 'false';
    this.#steps.push(
      isBool ? { step: 'literal', value: name === 'true', isPerInput: true } : { step: 'identifier', name },
    );
  }

  #parseNumber(): void {
    const start = this.#at;
    if (/^[+-]$/.test(this.#characters[this.#at] ?? '')) this.#at++;
    while (/^[.\p{Nd}]$/u.test(this.#characters[this.#at] ?? '')) this.#at++;
    const text = this.#characters.slice(start, this.#at).join('');
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) throw new SyntaxFault(`cannot parse number ${text}`);
    this.#steps.push({ step: 'literal', value: Number(text), isPerInput: true });
  }

  #parseQuote(quote: string): void {
    const start = this.#at;
    for (;;) {
      const character = this.#next();
      if (character === '' || character === '\n') throw new SyntaxFault('unterminated quoted string');
      if (character === quote && this.#characters[this.#at - 2] !== '\\') break;
    }
    const inner = this.#characters.slice(start, this.#at - 1).join('');
    this.#steps.push({ step: 'literal', value: unquote(inner), isPerInput: false });
  }

  #parseBrackets(): void {
    const start = this.#at;
    for (;;) {
      const character = this.#next();
      if (character === '' || character === '\n') throw new SyntaxFault('unterminated array');
      if (character === ']') break;
    }
    const text = this.#characters.slice(start, this.#at - 1).join('');
    const parts = text.split(',');
    if (parts.length > 1) {
      const paths = parts.map((part) => new JsonPathParser(`[${trimSpaces(part)}]`).parse());
      this.#steps.push({ step: 'union', paths });
      return;
    }
    const key = /^'([^']*)'$/.exec(text)?.[1];
    if (key === undefined) this.#steps.push(parseSlice(text === '*' ? ':' : text));
    else for (const step of new JsonPathParser(`.${key}`).parse()) this.#steps.push(step);
  }

  #parseFilter(): void {
    this.#at += 3;
    const start = this.#at;
    let quote = '';
    let isClosed = true;
    for (;;) {
      const character = this.#next();
      if (character === '' || character === '\n') throw new SyntaxFault('unterminated filter');
      if (character === '"' || character === "'") {
        if (quote === '') {
          quote = character;
          isClosed = false;
        } else if (character === quote && this.#characters[this.#at - 2] !== '\\') {
          isClosed = true;
        }
      } else if (character === ')' && isClosed) break;
    }
    const text = this.#characters.slice(start, this.#at - 1).join('');
    if (this.#next() !== ']') throw new SyntaxFault('unclosed array expect ]');
    const parts = filterPattern.exec(text);
    const [left, operator, right] =
      parts === null ? [text, 'exists', ''] : [parts[1] ?? '', parts[2] ?? '', parts[3] ?? ''];
    this.#steps.push({
      step: 'filter',
      left: new JsonPathParser(left).parse(),
      operator,
      right: new JsonPathParser(right).parse(),
    });
  }
}

function parseSlice(text: string): JsonPathStep {
  const parts = slicePattern.exec(text);
  if (parts === null) throw new SyntaxFault(`invalid array index ${text}`);
  const read = (part: string | undefined): number | undefined => {
    if (part === undefined || part === '') return undefined;
    const number = Number.parseInt(part, 10);
    if (Number.isNaN(number)) throw new SyntaxFault(`array index ${part} is not a number`);
    return number;
  };
  const from = read(parts[1]);
  const derived = parts[2] === undefined;
  return {
    step: 'slice',
    from,
    to: derived ? (from ?? 0) + 1 : read(parts[2]?.slice(1)),
    derived,
    stride: read(parts[3]?.slice(1)),
  };
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

function unquote(text: string): string {
  return text.replaceAll(/\\(x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|[0-7]{3}|[\s\S]|$)/gi, (_match, escape: string) => {
    const known = escapes[escape];
    if (known !== undefined) return known;
    const point = /^[xuU]/.test(escape) ? Number.parseInt(escape.slice(1), 16) : Number.parseInt(escape, 8);
    if (escape.length < 3 || Number.isNaN(point) || point > 0x10ffff)
      throw new SyntaxFault('unquote string: invalid syntax');
    return String.fromCodePoint(point);
  });
}
