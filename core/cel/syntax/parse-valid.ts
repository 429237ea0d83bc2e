import { balanceChain, ExpressionBuilder } from './expression-builder.ts';
import type { Expression, FieldEntry, MapEntry } from './expression.ts';
import { makeMacroKey, type MacroTable } from './macro.ts';
import { type LiteralReading, readBytes, readDouble, readInt, readString, readUint } from './read-literal.ts';
import { calculationOperators, relationOperators } from './operator-names.ts';
import { ParseGivenUp } from './parse-given-up.ts';
import { reservedNames } from './reserved-names.ts';
import type { SourceText } from './source-text.ts';
import { endOfInput, tokenKind } from './token-kind.ts';
import { TokenCursor, unsoundSource } from './token-cursor.ts';

const literalReaders = new Map<number, (text: string) => LiteralReading>([
  [tokenKind.uint, readUint],
  [tokenKind.string, readString],
  [tokenKind.bytes, readBytes],
  [tokenKind.true, () => ({ value: true })],
  [tokenKind.false, () => ({ value: false })],
  [tokenKind.null, () => ({ value: null })],
]);

/** Parses a source without faults, macros expanded; a text: its one fault, which concerns the whole; `undefined`: it has others. */
export function parseValid(source: SourceText, macros: MacroTable, maxDepth: number): Expression | string | undefined {
  try {
    return new ValidParser(source, macros, maxDepth).parse();
  } catch (error) {
    if (error === unsoundSource) return undefined;
    if (error instanceof ParseGivenUp) return error.fault;
    throw error;
  }
}

class ValidParser {
  readonly #tokens: TokenCursor;
  readonly #macros: MacroTable;
  readonly #maxDepth: number;
  readonly #builder: ExpressionBuilder;
  #expressionDepth = 0;
  #relationDepth = 0;
  #calculationDepth = 0;
  /** How deep the expression just parsed nests operators, selections and calls of members. */
  #height = 0;
  #isTooHigh = false;

  constructor(source: SourceText, macros: MacroTable, maxDepth: number) {
    this.#tokens = new TokenCursor(source);
    this.#builder = new ExpressionBuilder(source.size);
    this.#macros = macros;
    this.#maxDepth = maxDepth;
  }

  parse(): Expression | string {
    const expression = this.#parseExpression();
    if (this.#tokens.kind !== endOfInput) throw unsoundSource;
    return this.#isTooHigh ? 'max recursion depth exceeded' : expression;
  }

  #tooDeep(): ParseGivenUp {
    return new ParseGivenUp(`expression recursion limit exceeded: ${this.#maxDepth}`);
  }

  #raise(...heights: number[]): void {
    this.#height = Math.max(...heights) + 1;
    if (this.#height > this.#maxDepth) this.#isTooHigh = true;
  }

  #parseExpression(): Expression {
    if (++this.#expressionDepth > this.#maxDepth) throw this.#tooDeep();
    let expression = this.#parseOr();
    if (this.#tokens.kind === tokenKind.question) {
      const conditionHeight = this.#height;
      const at = this.#tokens.place;
      const id = this.#builder.takeId();
      this.#tokens.advance();
      const yes = this.#parseOr();
      const yesHeight = this.#height;
      this.#tokens.expect(tokenKind.colon);
      const no = this.#parseExpression();
      this.#raise(conditionHeight, yesHeight, this.#height);
      expression = { kind: 'call', id, at, name: '_?_:_', arguments: [expression, yes, no] };
    }
    this.#expressionDepth--;
    return expression;
  }

  #parseOr(): Expression {
    const first = this.#parseAnd();
    if (this.#tokens.kind !== tokenKind.or) return first;
    return this.#parseChain(first, tokenKind.or, '_||_', () => this.#parseAnd());
  }

  #parseAnd(): Expression {
    const first = this.#parseRelation(1);
    if (this.#tokens.kind !== tokenKind.and) return first;
    return this.#parseChain(first, tokenKind.and, '_&&_', () => this.#parseRelation(1));
  }

  #parseChain(first: Expression, kind: number, name: string, parseTerm: () => Expression): Expression {
    const terms = [first];
    const ids: number[] = [];
    const places: number[] = [];
    let height = this.#height;
    while (this.#tokens.kind === kind) {
      places.push(this.#tokens.place);
      this.#tokens.advance();
      terms.push(parseTerm());
      ids.push(this.#builder.takeId());
      height = Math.max(height, this.#height);
    }
    this.#height = height;
    return balanceChain(name, terms, ids, places);
  }

  #parseRelation(precedence: number): Expression {
    if (++this.#relationDepth > this.#maxDepth) throw this.#tooDeep();
    let left = this.#parseCalculation(1);
    for (;;) {
      const name = relationOperators.get(this.#tokens.kind);
      if (name === undefined || precedence > 1) break;
      left = this.#parseOperator(left, name, () => this.#parseRelation(2));
    }
    this.#relationDepth--;
    return left;
  }

  #parseCalculation(precedence: number): Expression {
    if (++this.#calculationDepth > this.#maxDepth) throw this.#tooDeep();
    let left = this.#parseUnary();
    for (;;) {
      const name = calculationOperators.get(this.#tokens.kind);
      if (name === undefined) break;
      const operatorPrecedence = this.#tokens.kind === tokenKind.plus || this.#tokens.kind === tokenKind.minus ? 1 : 2;
      if (operatorPrecedence < precedence) break;
      left = this.#parseOperator(left, name, () => this.#parseCalculation(operatorPrecedence + 1));
    }
    this.#calculationDepth--;
    return left;
  }

  #parseOperator(left: Expression, name: string, parseRight: () => Expression): Expression {
    const leftHeight = this.#height;
    const at = this.#tokens.place;
    const id = this.#builder.takeId();
    this.#tokens.advance();
    const right = parseRight();
    this.#raise(leftHeight, this.#height);
    return { kind: 'call', id, at, name, arguments: [left, right] };
  }

  #parseUnary(): Expression {
    const kind = this.#tokens.kind;
    if (kind === tokenKind.exclamation) return this.#parsePrefix(kind, '!_');
    if (kind !== tokenKind.minus || this.#tokens.isNegativeNumber(this.#tokens.index)) return this.#parseMember();
    return this.#parsePrefix(kind, '-_');
  }

  /** An even number of the same operator is none. `!-1` negates a number below zero; `--1` has two operators. */
  #parsePrefix(kind: number, name: string): Expression {
    const at = this.#tokens.place;
    let count = 0;
    for (; this.#tokens.kind === kind; this.#tokens.advance()) count++;
    if (count % 2 === 0) return this.#parseMember();
    const id = this.#builder.takeId();
    const operand = this.#parseMember();
    return { kind: 'call', id, at, name, arguments: [operand] };
  }

  #parseMember(): Expression {
    let operand = this.#parsePrimary();
    for (;;) {
      if (this.#tokens.kind === tokenKind.dot) operand = this.#parseSelect(operand);
      else if (this.#tokens.kind === tokenKind.leftBracket) operand = this.#parseIndex(operand);
      else return operand;
    }
  }

  #parseSelect(operand: Expression): Expression {
    const at = this.#tokens.place;
    const height = this.#height;
    this.#tokens.advance();
    const isOptional = this.#tokens.accept(tokenKind.question);
    const fieldPlace = this.#tokens.place;
    const name = this.#tokens.takeIdentifier();
    if (!isOptional && this.#tokens.kind === tokenKind.leftParen) return this.#parseMemberCall(operand, name, height);
    this.#raise(height);
    if (!isOptional) return this.#builder.makeSelect(at, operand, name);
    const field = this.#builder.makeLiteral(fieldPlace, name);
    return this.#builder.makeCall(at, '_?._', operand, field);
  }

  #parseMemberCall(target: Expression, name: string, height: number): Expression {
    const at = this.#tokens.place;
    const id = this.#builder.takeId();
    const values = this.#parseArguments();
    this.#raise(height, this.#height);
    return this.#expandMacro(at, name, target, values) ?? { kind: 'call', id, at, name, target, arguments: values };
  }

  #parseIndex(operand: Expression): Expression {
    const at = this.#tokens.place;
    const height = this.#height;
    const id = this.#builder.takeId();
    this.#tokens.advance();
    const isOptional = this.#tokens.accept(tokenKind.question);
    const index = this.#parseExpression();
    this.#raise(height, this.#height);
    this.#tokens.expect(tokenKind.rightBracket);
    return { kind: 'call', id, at, name: isOptional ? '_[?_]' : '_[_]', arguments: [operand, index] };
  }

  /** From the opening to after the closing parenthesis. */
  #parseArguments(): Expression[] {
    this.#tokens.advance();
    const values: Expression[] = [];
    let height = 0;
    if (this.#tokens.kind !== tokenKind.rightParen) {
      do {
        values.push(this.#parseExpression());
        height = Math.max(height, this.#height);
      } while (this.#tokens.accept(tokenKind.comma));
    }
    this.#tokens.expect(tokenKind.rightParen);
    this.#height = height;
    return values;
  }

  #expandMacro(
    at: number,
    name: string,
    target: Expression | undefined,
    values: readonly Expression[],
  ): Expression | undefined {
    const macro = this.#macros.get(makeMacroKey(name, target !== undefined, values.length));
    if (macro === undefined) return undefined;
    const expansion = macro.expand({ builder: this.#builder, at, target: target ?? values[0]!, values });
    if (!('kind' in expansion)) throw unsoundSource;
    return expansion;
  }

  #parsePrimary(): Expression {
    this.#height = 0;
    switch (this.#tokens.kind) {
      case tokenKind.dot:
      case tokenKind.identifier:
        return this.#parseName();
      case tokenKind.leftParen: {
        this.#tokens.advance();
        const expression = this.#parseExpression();
        this.#tokens.expect(tokenKind.rightParen);
        return expression;
      }
      case tokenKind.leftBracket:
        return this.#parseList();
      case tokenKind.leftBrace:
        return this.#parseMap();
      default:
        return this.#parseLiteral();
    }
  }

  #parseLiteral(): Expression {
    const at = this.#tokens.place;
    const isNegative = this.#tokens.isNegativeNumber(this.#tokens.index);
    if (isNegative) this.#tokens.advance();
    const text = this.#tokens.text;
    let reading: LiteralReading | undefined;
    if (this.#tokens.kind === tokenKind.int) reading = readInt(text, isNegative);
    else if (this.#tokens.kind === tokenKind.float) reading = readDouble(text, isNegative);
    else reading = literalReaders.get(this.#tokens.kind)?.(text);
    if (reading?.value === undefined) throw unsoundSource;
    this.#tokens.advance();
    return this.#builder.makeLiteral(at, reading.value);
  }

  #parseName(): Expression {
    const start = this.#tokens.index;
    const first = this.#tokens.kind === tokenKind.dot ? start + 1 : start;
    if (this.#tokens.kindAt(first) !== tokenKind.identifier) throw unsoundSource;
    const braceIndex = this.#findBrace(first);
    if (braceIndex !== undefined) return this.#parseMessage(start, braceIndex);
    this.#tokens.moveTo(first);
    const identifier = this.#tokens.text;
    if (reservedNames.has(identifier)) throw unsoundSource;
    const name = first > start ? `.${identifier}` : identifier;
    const identifierPlace = this.#tokens.place;
    this.#tokens.advance();
    if (this.#tokens.kind !== tokenKind.leftParen) return this.#builder.makeIdentifier(identifierPlace, name);
    const at = this.#tokens.place;
    const id = this.#builder.takeId();
    const values = this.#parseArguments();
    return this.#expandMacro(at, name, undefined, values) ?? { kind: 'call', id, at, name, arguments: values };
  }

  /** The index of the brace when a name, which may have dots, is that of a message. */
  #findBrace(first: number): number | undefined {
    let index = first + 1;
    while (this.#tokens.kindAt(index) === tokenKind.dot && this.#tokens.kindAt(index + 1) === tokenKind.identifier)
      index += 2;
    return this.#tokens.kindAt(index) === tokenKind.leftBrace ? index : undefined;
  }

  #parseMessage(start: number, brace: number): Expression {
    let typeName = '';
    for (let index = start; index < brace; index++) {
      typeName += this.#tokens.textAt(index);
    }
    this.#tokens.moveTo(brace);
    const at = this.#tokens.place;
    const id = this.#builder.takeId();
    const fields: FieldEntry[] = [];
    let height = 0;
    this.#tokens.advance();
    while (this.#tokens.kind !== tokenKind.rightBrace) {
      const isOptional = this.#tokens.accept(tokenKind.question);
      const field = this.#tokens.takeIdentifier();
      const entryAt = this.#tokens.place;
      const entryId = this.#builder.takeId();
      this.#tokens.expect(tokenKind.colon);
      const value = this.#parseExpression();
      height = Math.max(height, this.#height);
      fields.push({ id: entryId, at: entryAt, field, value, isOptional });
      if (!this.#tokens.accept(tokenKind.comma)) break;
      if (fields.length === 0) throw unsoundSource;
    }
    this.#tokens.expect(tokenKind.rightBrace);
    this.#height = height;
    return { kind: 'message', id, at, typeName, fields };
  }

  #parseList(): Expression {
    const at = this.#tokens.place;
    const id = this.#builder.takeId();
    const items: Expression[] = [];
    const optionalIndices: number[] = [];
    let height = 0;
    this.#tokens.advance();
    if (this.#tokens.accept(tokenKind.comma)) {
      this.#tokens.expect(tokenKind.rightBracket);
      return { kind: 'list', id, at, items, optionalIndices };
    }
    while (this.#tokens.kind !== tokenKind.rightBracket) {
      if (this.#tokens.accept(tokenKind.question)) optionalIndices.push(items.length);
      items.push(this.#parseExpression());
      height = Math.max(height, this.#height);
      if (!this.#tokens.accept(tokenKind.comma)) break;
    }
    this.#tokens.expect(tokenKind.rightBracket);
    this.#height = height;
    return { kind: 'list', id, at, items, optionalIndices };
  }

  #parseMap(): Expression {
    const at = this.#tokens.place;
    const id = this.#builder.takeId();
    const entries: MapEntry[] = [];
    let height = 0;
    this.#tokens.advance();
    if (this.#tokens.accept(tokenKind.comma)) {
      this.#tokens.expect(tokenKind.rightBrace);
      return { kind: 'map', id, at, entries };
    }
    while (this.#tokens.kind !== tokenKind.rightBrace) {
      const isOptional = this.#tokens.accept(tokenKind.question);
      // the colon's number comes before the key's
      const entryId = this.#builder.takeId();
      const key = this.#parseExpression();
      height = Math.max(height, this.#height);
      const entryAt = this.#tokens.place;
      this.#tokens.expect(tokenKind.colon);
      const value = this.#parseExpression();
      height = Math.max(height, this.#height);
      entries.push({ id: entryId, at: entryAt, key, value, isOptional });
      if (!this.#tokens.accept(tokenKind.comma)) break;
    }
    this.#tokens.expect(tokenKind.rightBrace);
    this.#height = height;
    return { kind: 'map', id, at, entries };
  }
}
