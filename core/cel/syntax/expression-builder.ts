import type { CelValue } from '../values/cel-value.ts';
import { ParseGivenUp } from './parse-given-up.ts';
import type { Call, Comprehension, Expression, FieldEntry, Identifier, MapEntry } from './expression.ts';

/** Name of the accumulator that the macros bring in; a source cannot spell it. */
export const accumulatorName = '@result';

/** How many nodes any source may have, and how many more for each code point: what no macro doubled has one or less. */
const freeNodes = 4000;
const nodesPerCodePoint = 2;

/** Makes nodes and numbers them from 1 in the order they are made. */
export class ExpressionBuilder {
  readonly #maxNodes: number;
  #nextId = 1;

  /** `size` is that of the source, in code points. */
  constructor(size: number) {
    this.#maxNodes = freeNodes + size * nodesPerCodePoint;
  }

  /** Throws ParseGivenUp when macros that copy their target have made too much of a source. */
  takeId(): number {
    if (this.#nextId > this.#maxNodes) throw new ParseGivenUp('expression is too large when its macros are expanded');
    return this.#nextId++;
  }

  makeLiteral(at: number, value: CelValue): Expression {
    return { kind: 'literal', id: this.takeId(), at, value };
  }

  makeIdentifier(at: number, name: string): Identifier {
    return { kind: 'identifier', id: this.takeId(), at, name };
  }

  makeSelect(at: number, operand: Expression, field: string, isTest = false): Expression {
    return { kind: 'select', id: this.takeId(), at, operand, field, isTest };
  }

  makeCall(at: number, name: string, ...values: Expression[]): Call {
    return { kind: 'call', id: this.takeId(), at, name, arguments: values };
  }

  makeMemberCall(at: number, name: string, target: Expression, ...values: Expression[]): Call {
    return { kind: 'call', id: this.takeId(), at, name, target, arguments: values };
  }

  makeList(at: number, ...items: Expression[]): Expression {
    return { kind: 'list', id: this.takeId(), at, items, optionalIndices: [] };
  }

  makeMap(at: number, entries: readonly MapEntry[] = []): Expression {
    return { kind: 'map', id: this.takeId(), at, entries };
  }

  makeComprehension(at: number, parts: Omit<Comprehension, 'kind' | 'id' | 'at'>): Expression {
    return { kind: 'comprehension', id: this.takeId(), at, ...parts };
  }

  /** Yields the same expression with ids of its own; entries of maps and messages get `entryAt` as their place. */
  copy(expression: Expression, entryAt: number): Expression {
    const id = this.takeId();
    const copy = (each: Expression): Expression => this.copy(each, entryAt);
    const copyMapEntry = (entry: MapEntry): MapEntry => ({
      ...entry,
      id: this.takeId(),
      at: entryAt,
      key: copy(entry.key),
      value: copy(entry.value),
    });
    const copyField = (entry: FieldEntry): FieldEntry => ({
      ...entry,
      id: this.takeId(),
      at: entryAt,
      value: copy(entry.value),
    });
    switch (expression.kind) {
      case 'literal':
      case 'identifier':
        return { ...expression, id };
      case 'select':
        return { ...expression, id, operand: copy(expression.operand) };
      case 'call': {
        const values = expression.arguments.map(copy);
        if (expression.target === undefined) return { ...expression, id, arguments: values };
        return { ...expression, id, arguments: values, target: copy(expression.target) };
      }
      case 'list':
        return { ...expression, id, items: expression.items.map(copy) };
      case 'map':
        return { ...expression, id, entries: expression.entries.map(copyMapEntry) };
      case 'message':
        return { ...expression, id, fields: expression.fields.map(copyField) };
      default:
        return {
          ...expression,
          id,
          range: copy(expression.range),
          initial: copy(expression.initial),
          condition: copy(expression.condition),
          step: copy(expression.step),
          result: copy(expression.result),
        };
    }
  }
}

/** Joins the terms of a chain of `&&` or `||` to a balanced tree; `ids[i]` and `places[i]` are those of the operator before term i+1. */
export function balanceChain(
  name: string,
  terms: readonly Expression[],
  ids: readonly number[],
  places: readonly number[],
): Expression {
  const balance = (low: number, high: number): Expression => {
    const middle = (low + high + 1) >>> 1;
    const left = middle === low ? terms[middle]! : balance(low, middle - 1);
    const right = middle === high ? terms[middle + 1]! : balance(middle + 1, high);
    return { kind: 'call', id: ids[middle]!, at: places[middle]!, name, arguments: [left, right] };
  };
  return ids.length === 0 ? terms[0]! : balance(0, ids.length - 1);
}
