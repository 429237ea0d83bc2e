import type { Expression } from '../syntax/expression.ts';
import type { CelType } from '../types/cel-type.ts';
import type { CelValue } from '../values/cel-value.ts';
import type { CostPath } from './cost-path.ts';
import { fixRange, unknownRange, type CostRange } from './cost-range.ts';

/** What is known of a part of an expression. */
export interface CostNode {
  /** `undefined`: it is no part of a variable. */
  readonly path?: CostPath;
  readonly type?: CelType;
  readonly expression?: Expression;
  /** What `size()` of it would be; `undefined`: nobody knows. */
  readonly size?: CostRange;
}

/**
 * The size of the values that a path leads to: the variable, then names of fields, `@items`, `@keys`, `@values`; `undefined`: nobody knows.
 */
export type SizeOfPath = (path: readonly string[]) => CostRange | undefined;

/** A call whose cost is estimated. */
export interface CostedCall {
  readonly name: string;
  readonly overload: string;
  readonly target?: CostNode;
  readonly arguments: readonly CostNode[];
  readonly sizeOfPath: SizeOfPath;
}

/** Cost of a call without that of its arguments, and the size of its result where it is known. */
export interface CallCost {
  readonly cost: CostRange;
  readonly resultSize?: CostRange;
}

/** Cost of looking at a byte of a text. */
export const textFactor = 0.1;
/** Cost of a byte of a pattern. */
export const patternFactor = 0.25;
/** Cost of a new list. */
export const listCost = 10n;
/** Cost of a new map. */
export const mapCost = 30n;
/** Cost of a new message. */
export const messageCost = 40n;

/** The size of a part: as it was computed, as its path says, or anything. */
export function sizeOfNode(node: CostNode, sizeOfPath: SizeOfPath): CostRange {
  return node.size ?? (node.path === undefined ? undefined : sizeOfPath(node.path.names)) ?? unknownRange;
}

/** The whole number that a part is written as; `undefined` when it is none. */
export function literalInteger({ expression }: CostNode): bigint | undefined {
  const value: CelValue | undefined = expression?.kind === 'literal' ? expression.value : undefined;
  return typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : undefined;
}

/** A call of a cost that is always the same. */
export function fixCall(cost: number): CallCost {
  return { cost: fixRange(cost) };
}
