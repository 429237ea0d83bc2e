import type { Call, Expression } from '../syntax/expression.ts';
import type { EntrySizes } from './cost-scopes.ts';
import { estimateKubernetesCall } from './estimate-kubernetes-call.ts';
import { estimateLibraryCall } from './estimate-library-call.ts';
import {
  addRanges,
  fixRange,
  multiplyRanges,
  scaleRange,
  uniteRanges,
  unknownRange,
  type CostRange,
} from './cost-range.ts';
import { fixCall, patternFactor, textFactor, type CallCost, type CostedCall, type CostNode } from './cost-node.ts';

/** What estimating a call may ask and note of the expression around it. */
export interface CallEstimates {
  entrySizesOf(expression: Expression): EntrySizes | undefined;
  setEntrySizes(expression: Expression, sizes: EntrySizes | undefined): void;
}

/** Cost of a call by one overload with that of its arguments, and the size of its result. */
export function estimateCall(
  call: Call,
  costed: CostedCall,
  argumentCosts: readonly CostRange[],
  estimates: CallEstimates,
): CallCost {
  const known = estimateLibraryCall(costed) ?? estimateKubernetesCall(costed) ?? estimateStandardCall(costed);
  if (known !== undefined) return { ...known, cost: addRanges(known.cost, ...argumentCosts) };
  switch (costed.overload) {
    case 'logical_or':
    case 'logical_and':
      return shortCircuit(argumentCosts);
    case 'conditional':
      return choose(call, costed, argumentCosts, estimates);
    case 'add_string':
    case 'add_bytes':
    case 'add_list':
      return concatenate(call, costed, argumentCosts, estimates);
    default:
      return { cost: addRanges(fixRange(1), ...argumentCosts) };
  }
}

function sizeOf(node: CostNode | undefined): CostRange {
  return node?.size ?? unknownRange;
}

function traverse(size: CostRange): CostRange {
  return scaleRange(size, textFactor);
}

const comparisons: ReadonlySet<string> = new Set([
  ...['less', 'greater', 'less_equals', 'greater_equals'].flatMap((name) => [`${name}_string`, `${name}_bytes`]),
  'equals',
  'not_equals',
]);

function compare(left: CostRange, right: CostRange): CallCost {
  const max = left.max < right.max ? left.max : right.max;
  return { cost: traverse({ min: max > 0n ? 1n : 0n, max }) };
}

function wrap(size: bigint): bigint {
  return BigInt.asUintN(64, size);
}

function estimateStandardCall({ overload, target, arguments: nodes }: CostedCall): CallCost | undefined {
  const [first, second] = nodes;
  const size = sizeOf(first);
  switch (overload) {
    case 'string_format':
      return target && { cost: traverse(sizeOf(target)) };
    case 'string_to_bytes':
      return { cost: traverse(size), resultSize: { min: size.min, max: wrap(size.max * 4n) } };
    case 'bytes_to_string':
      return { cost: traverse(size), resultSize: { min: size.min / 4n, max: size.max } };
    case 'strings_quote':
      return { cost: traverse(size), resultSize: { min: wrap(size.min + 2n), max: wrap(size.max * 2n + 2n) } };
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: traverse(size) };
    case 'in_list':
      return { cost: scaleRange(sizeOf(second), 1) };
    case 'matches_string': {
      if (target === undefined) return fixCall(1);
      const text = traverse(addRanges(sizeOf(target), fixRange(1)));
      return { cost: multiplyRanges(text, scaleRange(size, patternFactor)) };
    }
    case 'contains_string':
      return target && { cost: multiplyRanges(traverse(sizeOf(target)), traverse(size)) };
    default:
      return comparisons.has(overload) ? compare(size, sizeOf(second)) : undefined;
  }
}

function shortCircuit([left, right]: readonly CostRange[]): CallCost {
  const both = addRanges(left ?? unknownRange, right ?? unknownRange);
  return { cost: { min: left?.min ?? 0n, max: both.max } };
}

function choose(
  call: Call,
  { arguments: [, whenTrue, whenFalse] }: CostedCall,
  [condition, first, second]: readonly CostRange[],
  estimates: CallEstimates,
): CallCost {
  const sizes = [call.arguments[1], call.arguments[2]].map((part) => part && estimates.entrySizesOf(part));
  estimates.setEntrySizes(call, uniteEntries(sizes[0], sizes[1]));
  const branches = uniteRanges(first ?? unknownRange, second ?? unknownRange);
  return {
    cost: addRanges(condition ?? unknownRange, branches),
    resultSize: uniteRanges(sizeOf(whenTrue), sizeOf(whenFalse)),
  };
}

function concatenate(
  call: Call,
  { overload, arguments: [left, right] }: CostedCall,
  argumentCosts: readonly CostRange[],
  estimates: CallEstimates,
): CallCost {
  const resultSize = addRanges(sizeOf(left), sizeOf(right));
  const sizes = call.arguments.map((part) => estimates.entrySizesOf(part));
  estimates.setEntrySizes(call, uniteEntries(sizes[0], sizes[1]));
  const cost = overload === 'add_list' ? fixRange(1) : traverse(resultSize);
  return { cost: addRanges(cost, ...argumentCosts), resultSize };
}

function uniteEntries(left: EntrySizes | undefined, right: EntrySizes | undefined): EntrySizes | undefined {
  if (left === undefined || right === undefined) return undefined;
  return {
    isList: left.isList,
    keys: uniteRanges(left.keys, right.keys),
    values: uniteRanges(left.values, right.values),
  };
}
