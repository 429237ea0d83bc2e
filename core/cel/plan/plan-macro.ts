import type { Comprehension, Expression } from '../syntax/expression.ts';
import { ArrayList } from '../values/array-list.ts';
import { CelError, type CelResult, type CelValue } from '../values/cel-value.ts';
import type { Evaluate } from './frame.ts';
import { iterateRange, type ItemPlaces, type LoopState, type Turn } from './iterate-range.ts';
import type { LocalVariable, PlanContext } from './plan-context.ts';
import type { PlanNode } from './plan-node.ts';

const noSuchOverload = new CelError('no such overload');
/** Cost of the name of what was found so far, of the list of one item that is added to it, and of adding it. */
const addCost = 1 + 10 + 1;
/** Cost of counting one more, and of comparing the count. */
const countCost = 2;

function isName(node: Expression | undefined, name: string): boolean {
  return node?.kind === 'identifier' && node.name === name;
}

function takeCall(node: Expression | undefined, name: string): readonly Expression[] | undefined {
  return node?.kind === 'call' && node.name === name && node.target === undefined ? node.arguments : undefined;
}

function isLiteral(node: Expression, value: CelValue): boolean {
  return node.kind === 'literal' && node.value === value;
}

/**
 * Plans the macros that gather in one loop, with the cost of the comprehension that they stand for. `undefined`: the comprehension is
 * none of them.
 */
export function planMacro(
  planner: PlanContext,
  node: Comprehension,
  range: Evaluate,
  places: ItemPlaces,
  items: readonly LocalVariable[],
): Evaluate | undefined {
  const planPart = (part: Expression): PlanNode => planner.within(items, () => planner.plan(part));
  const compile = (part: Expression): Evaluate => planner.compile(planPart(part));
  const collect = (part: Expression): Evaluate | undefined => {
    const planned = planPart(part);
    // A list of a constant costs nothing.
    return planned.kind === 'constant' ? undefined : planner.compile(planned);
  };
  return (
    planQuantifier(node, range, places, compile) ??
    planCounter(node, range, places, compile) ??
    planCollector(node, range, places, compile, collect)
  );
}

type Compile = (part: Expression) => Evaluate;
type CompileVariable = (part: Expression) => Evaluate | undefined;

/** `all` and `exists`; what decides is false for the one, true for the other. */
function planQuantifier(
  node: Comprehension,
  range: Evaluate,
  places: ItemPlaces,
  compile: Compile,
): Evaluate | undefined {
  const { initial, condition, step, result, accumulator } = node;
  if (initial.kind !== 'literal' || typeof initial.value !== 'boolean' || !isName(result, accumulator))
    return undefined;
  const decisive = !initial.value;
  const terms = takeCall(step, decisive ? '_||_' : '_&&_');
  if (terms?.length !== 2 || !isName(terms[0], accumulator)) return undefined;
  const [asked] = takeCall(condition, '@not_strictly_false') ?? [];
  if (!isName(decisive ? takeCall(asked, '!_')?.[0] : asked, accumulator)) return undefined;
  const predicate = compile(terms[1]!);
  const lookCost = decisive ? 3 : 2;
  const turn: Turn = (frame, state) => {
    frame.meter.charge(lookCost);
    if (state.value === decisive) return false;
    frame.meter.charge(1);
    const value = predicate(frame);
    if (value === decisive || state.value === !decisive) state.value = toBoolean(value);
    return true;
  };
  return (frame) => {
    const state: LoopState = { value: !decisive };
    const error = iterateRange(places, range(frame), frame, state, turn);
    if (error !== undefined) return error;
    frame.meter.charge(1);
    return state.value!;
  };
}

function toBoolean(value: CelResult): boolean | CelError {
  return typeof value === 'boolean' || value instanceof CelError ? value : noSuchOverload;
}

/** `exists_one` */
function planCounter(node: Comprehension, range: Evaluate, places: ItemPlaces, compile: Compile): Evaluate | undefined {
  const { initial, condition, step, result, accumulator } = node;
  if (!isLiteral(initial, 0) || !isLiteral(condition, true)) return undefined;
  const [predicate, add, keep] = takeCall(step, '_?_:_') ?? [];
  const [count, one] = takeCall(add, '_+_') ?? [];
  const [total, expected] = takeCall(result, '_==_') ?? [];
  if (![count, keep, total].every((part) => isName(part, accumulator))) return undefined;
  if (one === undefined || expected === undefined || !isLiteral(one, 1) || !isLiteral(expected, 1)) return undefined;
  const holds = compile(predicate!);
  const turn: Turn = (frame, state) => {
    const value = toBoolean(holds(frame));
    if (value instanceof CelError) state.value = value;
    if (value !== true) return true;
    frame.meter.charge(countCost);
    if (typeof state.value === 'number') state.value++;
    return true;
  };
  return (frame) => {
    const state: LoopState = { value: 0 };
    const error = iterateRange(places, range(frame), frame, state, turn);
    if (error !== undefined) return error;
    frame.meter.charge(countCost);
    return state.value instanceof CelError ? state.value : state.value === 1;
  };
}

/** `map` and `filter` */
function planCollector(
  node: Comprehension,
  range: Evaluate,
  places: ItemPlaces,
  compile: Compile,
  collect: CompileVariable,
): Evaluate | undefined {
  const { initial, condition, step, result, accumulator } = node;
  if (initial.kind !== 'list' || initial.items.length > 0 || !isLiteral(condition, true)) return undefined;
  if (!isName(result, accumulator)) return undefined;
  const [predicate, whenTrue, whenFalse] = takeCall(step, '_?_:_') ?? [];
  if (predicate !== undefined && !isName(whenFalse, accumulator)) return undefined;
  const [sum, added] = takeCall(whenTrue ?? step, '_+_') ?? [];
  if (!isName(sum, accumulator) || added?.kind !== 'list' || added.items.length !== 1) return undefined;
  if (added.optionalIndices.length > 0) return undefined;
  const read = collect(added.items[0]!);
  if (read === undefined) return undefined;
  const holds = predicate === undefined ? undefined : compile(predicate);
  return (frame) => {
    const items: CelValue[] = [];
    const state: LoopState = { value: undefined };
    const turn: Turn = () => {
      const isWanted = holds === undefined ? true : toBoolean(holds(frame));
      if (isWanted instanceof CelError) state.value = isWanted;
      if (isWanted !== true) return true;
      const item = read(frame);
      frame.meter.charge(addCost);
      if (state.value !== undefined) return true;
      if (item instanceof CelError) state.value = item;
      else items.push(item);
      return true;
    };
    const error = iterateRange(places, range(frame), frame, state, turn);
    if (error !== undefined) return error;
    frame.meter.charge(1);
    return state.value ?? new ArrayList(items);
  };
}
