import type { FieldError } from '../errors/field-error.ts';
import { FieldPath } from '../errors/field-path.ts';
import { aggregateMessages, formatFieldError, makeInvalid } from '../errors/make-field-error.ts';
import { checkLabelValue, checkQualifiedName } from '../validation/names.ts';
import type { Labels } from './label-selector.ts';

/** Operators of a query, as Kubernetes names them; `!` is "does not exist". */
export type LabelQueryOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One term of a query. */
export interface LabelQueryRequirement {
  readonly key: string;
  readonly operator: LabelQueryOperator;
  readonly values: readonly string[];
}

/** A parsed `labelSelector` parameter; all requirements must hold, ordered by key. */
export interface LabelQuery {
  readonly requirements: readonly LabelQueryRequirement[];
}

/** Why a text is no query, in Kubernetes' wording. */
export interface QueryFault {
  readonly fault: string;
}

type TokenKind =
  'error' | 'end' | 'identifier' | ')' | ',' | '!' | '==' | '=' | '>' | '<' | 'in' | '!=' | 'notin' | '(';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

class QueryError extends Error {}

const SYMBOLS: readonly TokenKind[] = [')', ',', '!', '==', '=', '>', '<', '!=', '('];
const OPERATORS: Readonly<Partial<Record<TokenKind, LabelQueryOperator>>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

function scanSymbol(run: string): Token {
  let best: TokenKind | undefined;
  for (let length = 1; length <= run.length; length += 1) {
    const candidate = SYMBOLS.find((symbol) => symbol === run.slice(0, length));
    if (candidate !== undefined) best = candidate;
    else if (best !== undefined) break;
  }
  return best === undefined
    ? { kind: 'error', text: `error expected: keyword found '${run}'` }
    : { kind: best, text: best };
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let rest = text.includes('\0') ? text.slice(0, text.indexOf('\0')) : text;
  for (;;) {
    rest = rest.replace(/^[ \t\r\n]+/, '');
    if (rest === '') break;
    const symbols = /^[=!(),<>]+/.exec(rest)?.[0];
    if (symbols !== undefined) {
      const token = scanSymbol(symbols);
      tokens.push(token);
      rest = rest.slice(token.kind === 'error' ? symbols.length : token.text.length);
      continue;
    }
    const word = /^[^=!(),<> \t\r\n]+/.exec(rest)?.[0] ?? '';
    tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
    rest = rest.slice(word.length);
  }
  return tokens;
}

class QueryParser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** The token at the position; where a key or value may stand, `in` and `notin` are plain words. */
  #peek(wordsOnly = true): Token {
    const token = this.#tokens[this.#position] ?? { kind: 'end', text: '' };
    if (wordsOnly && (token.kind === 'in' || token.kind === 'notin')) return { kind: 'identifier', text: token.text };
    return token;
  }

  #take(wordsOnly = true): Token {
    const token = this.#peek(wordsOnly);
    this.#position += 1;
    return token;
  }

  parse(): LabelQueryRequirement[] {
    const requirements: LabelQueryRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (token.kind !== 'identifier' && token.kind !== '!') {
        throw new QueryError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#parseRequirement());
      const next = this.#take();
      if (next.kind === 'end') return requirements;
      if (next.kind !== ',') throw new QueryError(`found '${next.text}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (following.kind !== 'identifier' && following.kind !== '!') {
        throw new QueryError(`found '${following.text}', expected: identifier after ','`);
      }
    }
  }

  #parseRequirement(): LabelQueryRequirement {
    try {
      return this.#parseTerm();
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      throw new QueryError(`unable to parse requirement: ${error.message}`);
    }
  }

  #parseTerm(): LabelQueryRequirement {
    let first = this.#take();
    const isNegated = first.kind === '!';
    if (isNegated) first = this.#take();
    if (first.kind !== 'identifier') throw new QueryError(`found '${first.text}', expected: identifier`);
    const key = first.text;
    checkKey(key, FieldPath.empty);
    const next = this.#peek();
    if (isNegated) return { key, operator: '!', values: [] };
    if (next.kind === 'end' || next.kind === ',') return { key, operator: 'exists', values: [] };
    const token = this.#take(false);
    const operator = OPERATORS[token.kind];
    if (operator === undefined) {
      throw new QueryError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const values = operator === 'in' || operator === 'notin' ? this.#parseValues() : [this.#parseExactValue()];
    return checkRequirement({ key, operator, values: [...new Set(values)].toSorted() });
  }

  #parseExactValue(): string {
    const token = this.#peek();
    if (token.kind === 'end' || token.kind === ',') return '';
    this.#take();
    if (token.kind !== 'identifier') throw new QueryError(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  #parseValues(): string[] {
    const open = this.#take();
    if (open.kind !== '(') throw new QueryError(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ')') {
      this.#take();
      return [''];
    }
    if (first.kind !== 'identifier' && first.kind !== ',') {
      throw new QueryError(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#parseList();
    if (this.#take().kind !== ')') throw new QueryError(`found '${first.text}', expected: ')'`);
    return values;
  }

  #parseList(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      const next = this.#peek();
      if (token.kind === 'identifier') {
        values.push(token.text);
        if (next.kind === ')') return values;
        if (next.kind !== ',') throw new QueryError(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        if (values.length === 0) values.push('');
        if (next.kind === ')') return [...values, ''];
        if (next.kind === ',') {
          this.#take();
          values.push('');
        }
      } else {
        throw new QueryError(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }
}

function checkKey(key: string, path: FieldPath): void {
  const faults = checkQualifiedName(key);
  if (faults.length > 0) throw new QueryError(formatFieldError(makeInvalid(path, key, faults.join('; '))));
}

function checkRequirement(requirement: LabelQueryRequirement): LabelQueryRequirement {
  const { key, operator, values } = requirement;
  const path = FieldPath.empty.child('values');
  const errors: FieldError[] = [];
  if (operator === 'gt' || operator === 'lt') {
    values.forEach((value, i) => {
      if (parseInt64(value) === undefined) {
        const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
        errors.push(makeInvalid(path.index(i), value, detail));
      }
    });
  }
  values.forEach((value, i) => {
    const faults = checkLabelValue(value);
    if (faults.length > 0) errors.push(makeInvalid(path.index(i).key(key), value, faults.join('; ')));
  });
  if (errors.length > 0) throw new QueryError(aggregateMessages(errors.map(formatFieldError)));
  return requirement;
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Parses a `labelSelector` parameter; an empty text selects everything. */
export function parseLabelQuery(text: string): LabelQuery | QueryFault {
  try {
    const requirements = new QueryParser(text).parse();
    return { requirements: requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)) };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { fault: error.message };
  }
}

function matchesRequirement({ key, operator, values }: LabelQueryRequirement, labels: Labels): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    default: {
      const left = value === undefined ? undefined : parseInt64(value);
      const right = parseInt64(values[0] ?? '');
      if (left === undefined || right === undefined) return false;
      return operator === 'gt' ? left > right : left < right;
    }
  }
}

/** Whether labels satisfy a query. */
export function matchesLabelQuery(query: LabelQuery, labels: Labels): boolean {
  return query.requirements.every((requirement) => matchesRequirement(requirement, labels));
}
