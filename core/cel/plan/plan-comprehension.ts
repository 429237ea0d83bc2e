import type { Comprehension } from '../syntax/expression.ts';
import { ArrayList, GatheredList } from '../values/array-list.ts';
import { CelList, CelMap, type CelResult, type CelValue } from '../values/cel-value.ts';
import { GatheredMap } from '../values/value-map.ts';
import type { Evaluate, Frame } from './frame.ts';
import { iterateRange, type ItemPlaces, type Turn } from './iterate-range.ts';
import type { LocalVariable, PlanContext } from './plan-context.ts';
import { planMacro } from './plan-macro.ts';
import type { PlanNode } from './plan-node.ts';

/** Plans a comprehension: in a loop of its own when it is one of the usual macros, else as it is written. */
export function planComprehension(planner: PlanContext, node: Comprehension): PlanNode {
  const range = planner.compile(planner.plan(node.range));
  const place = planner.reserveLocal();
  const place2 = node.variable2 === undefined ? undefined : planner.reserveLocal();
  const items: LocalVariable[] = [{ name: node.variable, base: { kind: 'local', place } }];
  if (place2 !== undefined) items.push({ name: node.variable2!, base: { kind: 'local', place: place2 } });
  const places = { place, place2 };
  const evaluate = planMacro(planner, node, range, places, items) ?? planLoop(planner, node, range, places, items);
  return { kind: 'computed', evaluate };
}

function planLoop(
  planner: PlanContext,
  node: Comprehension,
  range: Evaluate,
  places: ItemPlaces,
  items: readonly LocalVariable[],
): Evaluate {
  const initial = planner.plan(node.initial);
  const place = planner.reserveLocal();
  const start = initial.kind === 'constant' ? makeStart(initial.value) : undefined;
  const base = { kind: 'local' as const, place, ...(start === undefined && { initial: planner.compile(initial) }) };
  const accumulator: LocalVariable = { name: node.accumulator, base };
  const [condition, step] = planner.within([accumulator, ...items], () => [
    planner.compile(planner.plan(node.condition)),
    planner.compile(planner.plan(node.step)),
  ]);
  const result = planner.within([accumulator], () => planner.compile(planner.plan(node.result)));
  const turn: Turn = (frame) => {
    if (condition(frame) === false) return false;
    frame.locals[place] = step(frame);
    return true;
  };
  return (frame) => {
    const over = range(frame);
    frame.locals[place] = start?.();
    return iterateRange(places, over, frame, noState, turn) ?? conclude(result, frame);
  };
}

const noState = { value: undefined };

/** What a comprehension starts with; one that starts with an empty list or map adds to it in place. */
function makeStart(value: CelValue): () => CelValue {
  if (value instanceof CelList && value.size === 0) return () => new GatheredList();
  if (value instanceof CelMap && value.size === 0) return () => new GatheredMap();
  return () => value;
}

function conclude(result: Evaluate, frame: Frame): CelResult {
  const value = result(frame);
  return value instanceof GatheredList ? new ArrayList(value.items) : value;
}
