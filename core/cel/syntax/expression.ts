import type { CelValue } from '../values/cel-value.ts';

/** What every node of an expression has: a number of its own, from 1, and where it stands, as an offset in code points. */
interface ExpressionNode {
  readonly id: number;
  readonly at: number;
}

/** A constant; a string, bytes, number, boolean or null. */
export interface Literal extends ExpressionNode {
  readonly kind: 'literal';
  readonly value: CelValue;
}

/** A name; one with a leading dot is looked up in no container. */
export interface Identifier extends ExpressionNode {
  readonly kind: 'identifier';
  readonly name: string;
}

/** `operand.field`, or with `isTest` the macro `has(operand.field)`. */
export interface Select extends ExpressionNode {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  readonly isTest: boolean;
}

/** A call; operators bear cel-go's names: `_+_`, `_&&_`, `_?_:_`, `_[_]`, `_[?_]`, `_?._`, `!_`, `-_`, `@in`. */
export interface Call extends ExpressionNode {
  readonly kind: 'call';
  readonly name: string;
  /** Receiver of `target.name(...)`; absent for a global call. */
  readonly target?: Expression;
  readonly arguments: readonly Expression[];
}

/** `[a, ?b]`; `optionalIndices` are the places of optional items. */
export interface ListExpression extends ExpressionNode {
  readonly kind: 'list';
  readonly items: readonly Expression[];
  readonly optionalIndices: readonly number[];
}

/** One entry of a map. */
export interface MapEntry {
  readonly id: number;
  readonly at: number;
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** `{key: value, ?key: value}`. */
export interface MapExpression extends ExpressionNode {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** One field of a message. */
export interface FieldEntry {
  readonly id: number;
  readonly at: number;
  readonly field: string;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** `Type{field: value}`. */
export interface MessageExpression extends ExpressionNode {
  readonly kind: 'message';
  readonly typeName: string;
  readonly fields: readonly FieldEntry[];
}

/** What the comprehension macros become. */
export interface Comprehension extends ExpressionNode {
  readonly kind: 'comprehension';
  readonly range: Expression;
  readonly variable: string;
  /** Second variable of a two-variable comprehension. */
  readonly variable2?: string;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** An expression as the parser yields it, macros expanded. */
export type Expression =
  Literal | Identifier | Select | Call | ListExpression | MapExpression | MessageExpression | Comprehension;
