import type { ListExpression, MapExpression } from '../syntax/expression.ts';
import { ArrayList } from '../values/array-list.ts';
import { CelError, CelOptional, type CelResult, type CelValue } from '../values/cel-value.ts';
import { describeValue } from '../values/describe-value.ts';
import { makeValueMap, ValueMap } from '../values/value-map.ts';
import type { Evaluate } from './frame.ts';
import type { PlanNode } from './plan-node.ts';
import { listConstants, type PlanContext } from './plan-context.ts';

const listCost = 10;
const mapCost = 30;

/** Plans a list; one of constants is made once, and costs nothing. */
export function planList(planner: PlanContext, { items, optionalIndices }: ListExpression): PlanNode {
  const nodes = items.map((item) => planner.plan(item));
  const constants = listConstants(nodes);
  if (constants !== undefined && optionalIndices.length === 0) {
    return { kind: 'constant', value: new ArrayList(constants) };
  }
  const evaluates = nodes.map((node) => planner.compile(node));
  const optional = new Set(optionalIndices);
  const evaluate = optional.size === 0 ? makeList(evaluates) : makeOptionalList(evaluates, optional);
  return { kind: 'computed', evaluate: withCost(evaluate, listCost) };
}

function withCost(evaluate: Evaluate, cost: number): Evaluate {
  return (frame) => {
    const value = evaluate(frame);
    frame.meter.charge(cost);
    return value;
  };
}

function makeList(evaluates: readonly Evaluate[]): Evaluate {
  const [single] = evaluates;
  if (evaluates.length === 1) {
    return (frame) => {
      const value = single!(frame);
      return value instanceof CelError ? value : new ArrayList([value]);
    };
  }
  return (frame) => {
    const values: CelValue[] = [];
    for (const evaluate of evaluates) {
      const value = evaluate(frame);
      if (value instanceof CelError) return value;
      values.push(value);
    }
    return new ArrayList(values);
  };
}

function makeOptionalList(evaluates: readonly Evaluate[], optional: ReadonlySet<number>): Evaluate {
  return (frame) => {
    const values: CelValue[] = [];
    for (const [index, evaluate] of evaluates.entries()) {
      const value = evaluate(frame);
      if (value instanceof CelError) return value;
      if (!optional.has(index)) {
        values.push(value);
      } else if (!(value instanceof CelOptional)) {
        return new CelError(`cannot initialize optional list element from non-optional value ${describeValue(value)}`);
      } else if (value.value !== undefined) {
        values.push(value.value);
      }
    }
    return new ArrayList(values);
  };
}

/** The value of an optional entry; `undefined`: it has none. */
export function takeOptional(name: CelValue, value: CelValue): CelResult | undefined {
  if (value instanceof CelOptional) return value.value;
  return new CelError(
    `cannot initialize optional entry '${describeValue(name)}' from non-optional value ${describeValue(value)}`,
  );
}

interface EntryPlan {
  readonly key: Evaluate;
  readonly value: Evaluate;
  readonly isOptional: boolean;
}

/** Plans a map; one of constants is made once, and costs nothing. */
export function planMap(planner: PlanContext, { entries }: MapExpression): PlanNode {
  const nodes = entries.map(({ key, value }) => ({ key: planner.plan(key), value: planner.plan(value) }));
  const keys = nodes.map(({ key }) => key);
  const values = nodes.map(({ value }) => value);
  const constantKeys = listConstants(keys);
  const constantValues = listConstants(values);
  if (constantKeys !== undefined && constantValues !== undefined && !entries.some(({ isOptional }) => isOptional)) {
    const map = makeValueMap(constantKeys.map((key, index) => [key, constantValues[index]!] as const));
    if (!(map instanceof CelError)) return { kind: 'constant', value: map };
  }
  const plans = entries.map(({ isOptional }, index) => ({
    key: planner.compile(keys[index]!),
    value: planner.compile(values[index]!),
    isOptional,
  }));
  return { kind: 'computed', evaluate: withCost(makeMap(plans), mapCost) };
}

function makeMap(plans: readonly EntryPlan[]): Evaluate {
  return (frame) => {
    const map = new ValueMap();
    for (const plan of plans) {
      const key = plan.key(frame);
      if (key instanceof CelError) return key;
      const value = plan.value(frame);
      if (value instanceof CelError) return value;
      const taken = plan.isOptional ? takeOptional(key, value) : value;
      if (taken instanceof CelError) return taken;
      if (taken === undefined) {
        map.delete(key);
        continue;
      }
      const error = map.set(key, taken);
      if (error !== undefined) return error;
    }
    return map;
  };
}
