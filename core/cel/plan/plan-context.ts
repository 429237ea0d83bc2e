import type { CheckedExpression } from '../check/checked-expression.ts';
import type { Expression } from '../syntax/expression.ts';
import { CelError, type CelValue } from '../values/cel-value.ts';
import type { Attribute, AttributeBase } from './attribute.ts';
import { PlanRefusal, type Evaluate } from './frame.ts';
import type { PlanNode } from './plan-node.ts';

/** A variable of a comprehension, and where it is found. */
export interface LocalVariable {
  readonly name: string;
  readonly base: AttributeBase;
}

/** What the plan of a part needs of the plan of the whole. */
export interface PlanContext {
  readonly checked: CheckedExpression;
  /** Plans a part; throws a PlanRefusal. */
  plan(node: Expression): PlanNode;
  /** What evaluates a part. */
  compile(node: PlanNode): Evaluate;
  /** A place for a variable of a comprehension. */
  reserveLocal(): number;
  /** Plans something within which these variables are known. */
  within<T>(locals: readonly LocalVariable[], plan: () => T): T;
  /** What selections may be added to. */
  toAttribute(node: PlanNode): Attribute;
  /** Plans `operand[key]`, and its like where what is absent is nothing. */
  planIndex(operand: PlanNode, key: PlanNode, isOptional: boolean): PlanNode;
}

/** The constants of some parts; `undefined` when one is not constant. */
export function listConstants(nodes: readonly PlanNode[]): readonly CelValue[] | undefined {
  const values: CelValue[] = [];
  for (const node of nodes) {
    if (node.kind !== 'constant') return undefined;
    values.push(node.value);
  }
  return values;
}

/** Throws what cel-go refuses to plan. */
export function refuseError<T>(value: T | CelError): T {
  if (value instanceof CelError) throw new PlanRefusal(value.message);
  return value;
}
