import { costOfEquality, costOfSmaller } from '../libraries/standard/standard-costs.ts';
import { areEqual } from '../values/are-equal.ts';
import { CelError, CelList, type CelResult } from '../values/cel-value.ts';
import { JsonList } from '../values/json-value.ts';
import type { Summand } from './call-plan.ts';
import { compareWithin } from './compare-within.ts';
import type { CostMeter } from './cost-meter.ts';
import type { Evaluate, Frame } from './frame.ts';
import type { PlanNode } from './plan-node.ts';

const shortLength = 10;

/** Plans `==` or `!=`. */
export function planEquality(name: string, nodes: readonly PlanNode[], evaluates: readonly Evaluate[]): Evaluate {
  const isNegated = name === '_!=_';
  const [first, second] = evaluates as [Evaluate, Evaluate];
  const right = nodes[1]!;
  if (right.kind === 'constant' && typeof right.value === 'string' && isShort(right.value)) {
    return compareToShortText(first, right.value, isNegated);
  }
  return (frame) => {
    const left = first(frame);
    const other = second(frame);
    if (typeof left === 'string' && typeof other === 'string') {
      frame.meter.charge(
        isShort(left) || isShort(other) ? (left === '' || other === '' ? 0 : 1) : costOfSmaller([left, other]),
      );
      return (left === other) !== isNegated;
    }
    if (typeof left !== 'object' && typeof left !== 'string' && typeof other !== 'object') {
      frame.meter.charge(1);
      return (left === other) !== isNegated;
    }
    return compare(left, other, isNegated, frame);
  };
}

function isShort(text: string): boolean {
  return text.length <= shortLength;
}

/** Compares values of any kind, and charges it. */
function compare(left: CelResult, right: CelResult, isNegated: boolean, { meter }: Frame): CelResult {
  const isEqual = decide(left, right, meter);
  meter.charge((isNegated ? costOfSmaller : costOfEquality)([left, right]));
  if (left instanceof CelError || right instanceof CelError) return isEqual;
  return isNegated ? isEqual !== true : isEqual;
}

function decide(left: CelResult, right: CelResult, meter: CostMeter): boolean | CelError {
  if (left instanceof CelError) return left;
  if (right instanceof CelError) return right;
  if (left === null || right === null) return left === right;
  return compareWithin(meter, () => areEqual(left, right));
}

/** Comparing with a short text costs 1 whatever the other is, but nothing when one is empty. */
function compareToShortText(operand: Evaluate, text: string, isNegated: boolean): Evaluate {
  return (frame) => {
    const value = operand(frame);
    if (typeof value !== 'string') return compare(value, text, isNegated, frame);
    if (value !== '' && text !== '') frame.meter.charge(1);
    return (value === text) !== isNegated;
  };
}

type Numbers = (first: number, second: number) => CelResult | undefined;

const fastOperators: Readonly<Record<string, Numbers>> = {
  '_<_': (first, second) => first < second,
  '_<=_': (first, second) => first <= second,
  '_>_': (first, second) => first > second,
  '_>=_': (first, second) => first >= second,
  '_+_': (first, second) => toSafe(first + second),
  '_-_': (first, second) => toSafe(first - second),
};

function toSafe(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Whether an operator is one that planOperator takes. */
export function isFastOperator(name: string): boolean {
  return Object.hasOwn(fastOperators, name);
}

/** Plans an operator that is mostly applied to small ints. */
export function planOperator(name: string, first: Evaluate, { evaluate: second, call, cost }: Summand): Evaluate {
  const fast = fastOperators[name]!;
  return (frame) => {
    const left = first(frame);
    const right = second(frame);
    if (typeof left === 'number' && typeof right === 'number') {
      const result = fast(left, right);
      if (result !== undefined) {
        frame.meter.charge(1);
        return result;
      }
    }
    const result = applyOperator(call, left, right, frame.meter);
    frame.meter.charge(cost === undefined ? 1 : cost([left, right], result));
    return result;
  };
}

/** What an operator yields that is no comparison for equality; lists of type `set` compare their items when they are added up. */
export function applyOperator(call: Summand['call'], left: CelResult, right: CelResult, meter: CostMeter): CelResult {
  if (left instanceof CelError) return left;
  if (right instanceof CelError) return right;
  if (!(left instanceof JsonList) || left.listType === 'atomic' || !(right instanceof CelList))
    return call(left, right);
  meter.admitWork((left.size * right.size) / 10);
  return compareWithin(meter, () => call(left, right));
}

/** Plans `a in b`. */
export function planMembership(first: Evaluate, { evaluate: second, call, cost }: Summand): Evaluate {
  return (frame) => {
    const item = first(frame);
    const container = second(frame);
    const result = findIn(call, item, container, frame.meter);
    frame.meter.charge(cost === undefined ? 1 : cost([item, container], result));
    return result;
  };
}

function findIn(call: Summand['call'], item: CelResult, container: CelResult, meter: CostMeter): CelResult {
  if (item instanceof CelError) return item;
  if (container instanceof CelError) return container;
  // A list that was added up may have any number of items.
  if (container instanceof CelList) meter.admitWork(container.size / 10);
  return typeof item === 'object' ? compareWithin(meter, () => call(item, container)) : call(item, container);
}
