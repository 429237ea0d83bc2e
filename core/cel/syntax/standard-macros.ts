import { accumulatorName, type ExpressionBuilder } from './expression-builder.ts';
import type { Expression } from './expression.ts';
import type { CelMacro, MacroCall, MacroFault } from './macro.ts';

/** Name of the iteration variable of a comprehension over nothing, which macros use to bind a value. */
const unusedVariable = '#unused';

type Loop = 'initial' | 'condition' | 'step' | 'result';
type MakeLoop = (builder: ExpressionBuilder, at: number, values: readonly Expression[]) => Record<Loop, Expression>;

const isFault = (value: Expression | MacroFault | string): value is MacroFault =>
  typeof value === 'object' && !('kind' in value);

function accumulate(builder: ExpressionBuilder, at: number): Expression {
  return builder.makeIdentifier(at, accumulatorName);
}

const loopOfAll: MakeLoop = (builder, at, [predicate]) => ({
  initial: builder.makeLiteral(at, true),
  condition: builder.makeCall(at, '@not_strictly_false', accumulate(builder, at)),
  step: builder.makeCall(at, '_&&_', accumulate(builder, at), predicate!),
  result: accumulate(builder, at),
});

const loopOfExists: MakeLoop = (builder, at, [predicate]) => ({
  initial: builder.makeLiteral(at, false),
  condition: builder.makeCall(at, '@not_strictly_false', builder.makeCall(at, '!_', accumulate(builder, at))),
  step: builder.makeCall(at, '_||_', accumulate(builder, at), predicate!),
  result: accumulate(builder, at),
});

const loopOfExistsOne: MakeLoop = (builder, at, [predicate]) => ({
  initial: builder.makeLiteral(at, 0),
  condition: builder.makeLiteral(at, true),
  step: builder.makeCall(
    at,
    '_?_:_',
    predicate!,
    builder.makeCall(at, '_+_', accumulate(builder, at), builder.makeLiteral(at, 1)),
    accumulate(builder, at),
  ),
  result: builder.makeCall(at, '_==_', accumulate(builder, at), builder.makeLiteral(at, 1)),
});

function makeCollectingLoop(
  makeInitial: (builder: ExpressionBuilder, at: number) => Expression,
  makeStep: (builder: ExpressionBuilder, at: number, transform: Expression) => Expression,
): MakeLoop {
  return (builder, at, values) => {
    const filter = values.length === 2 ? values[0] : undefined;
    const initial = makeInitial(builder, at);
    const condition = builder.makeLiteral(at, true);
    const step = makeFilteredStep(builder, at, makeStep(builder, at, values.at(-1)!), filter);
    return { initial, condition, step, result: accumulate(builder, at) };
  };
}

function makeFilteredStep(
  builder: ExpressionBuilder,
  at: number,
  step: Expression,
  filter: Expression | undefined,
): Expression {
  return filter === undefined ? step : builder.makeCall(at, '_?_:_', filter, step, accumulate(builder, at));
}

/** The same with the nodes numbered in another order, as cel-go does for macros of two variables. */
function makeTransformingLoop(
  makeInitial: (builder: ExpressionBuilder, at: number) => Expression,
  makeStep: (builder: ExpressionBuilder, at: number, transform: Expression) => Expression,
): MakeLoop {
  return (builder, at, values) => {
    const filter = values.length === 2 ? values[0] : undefined;
    const step = makeFilteredStep(builder, at, makeStep(builder, at, values.at(-1)!), filter);
    const initial = makeInitial(builder, at);
    const condition = builder.makeLiteral(at, true);
    return { initial, condition, step, result: accumulate(builder, at) };
  };
}

const addItem = (builder: ExpressionBuilder, at: number, item: Expression): Expression =>
  builder.makeCall(at, '_+_', accumulate(builder, at), builder.makeList(at, item));

const loopOfMap = makeCollectingLoop((builder, at) => builder.makeList(at), addItem);
const loopOfTransformList = makeTransformingLoop((builder, at) => builder.makeList(at), addItem);
const loopOfTransformMapEntry = makeTransformingLoop(
  (builder, at) => builder.makeMap(at),
  (builder, at, entries) => builder.makeCall(at, 'cel.@mapInsert', accumulate(builder, at), entries),
);

function readVariable(value: Expression, complaint: string): string | MacroFault {
  return value.kind === 'identifier' ? value.name : { at: value.at, message: complaint };
}

function refuseAccumulator(name: string, value: Expression): MacroFault | undefined {
  if (name !== accumulatorName && name !== '__result__') return undefined;
  return { at: value.at, message: 'iteration variable overwrites accumulator variable' };
}

function defineMacro(name: string, argumentCount: number, complaint: string, makeLoop: MakeLoop): CelMacro {
  return {
    name,
    isMember: true,
    argumentCount,
    expand: ({ builder, at, target, values }) => {
      const variable = readVariable(values[0]!, complaint);
      if (isFault(variable)) return variable;
      const fault = refuseAccumulator(variable, values[0]!);
      if (fault !== undefined) return fault;
      const loop = makeLoop(builder, at, values.slice(1));
      return builder.makeComprehension(at, { range: target, variable, accumulator: accumulatorName, ...loop });
    },
  };
}

function defineTwoVariableMacro(name: string, argumentCount: number, makeLoop: (key: string) => MakeLoop): CelMacro {
  const complaint = 'argument must be a simple name';
  return {
    name,
    isMember: true,
    argumentCount,
    expand: ({ builder, at, target, values }) => {
      const [first, second] = values as [Expression, Expression];
      const variable = readVariable(first, complaint);
      if (isFault(variable)) return variable;
      const variable2 = readVariable(second, complaint);
      if (isFault(variable2)) return variable2;
      if (variable === variable2) return { at: second.at, message: `duplicate variable name: ${variable}` };
      const fault = refuseAccumulator(variable, first) ?? refuseAccumulator(variable2, second);
      if (fault !== undefined) return fault;
      const loop = makeLoop(variable)(builder, at, values.slice(2));
      return builder.makeComprehension(at, {
        range: target,
        variable,
        variable2,
        accumulator: accumulatorName,
        ...loop,
      });
    },
  };
}

const hasMacro: CelMacro = {
  name: 'has',
  isMember: false,
  argumentCount: 1,
  expand: ({ builder, at, values: [value] }) => {
    if (value?.kind === 'select') return builder.makeSelect(at, value.operand, value.field, true);
    return { at: value!.at, message: 'invalid argument to has() macro' };
  },
};

/** The macros of the language itself. */
export const standardMacros: readonly CelMacro[] = [
  hasMacro,
  defineMacro('all', 2, 'argument must be a simple name', loopOfAll),
  defineMacro('exists', 2, 'argument must be a simple name', loopOfExists),
  defineMacro('exists_one', 2, 'argument must be a simple name', loopOfExistsOne),
  defineMacro('map', 2, 'argument is not an identifier', loopOfMap),
  defineMacro('map', 3, 'argument is not an identifier', loopOfMap),
  {
    ...defineMacro('filter', 2, 'argument is not an identifier', loopOfMap),
    expand: (call) => expandFilter(call),
  },
];

function expandFilter({ builder, at, target, values: [item, predicate] }: MacroCall): Expression | MacroFault {
  const variable = readVariable(item!, 'argument is not an identifier');
  if (isFault(variable)) return variable;
  const fault = refuseAccumulator(variable, item!);
  if (fault !== undefined) return fault;
  const loop = loopOfMap(builder, at, [predicate!, item!]);
  return builder.makeComprehension(at, { range: target, variable, accumulator: accumulatorName, ...loop });
}

const insertEntry = (key: string): MakeLoop =>
  makeTransformingLoop(
    (builder, at) => builder.makeMap(at),
    (builder, at, value) =>
      builder.makeCall(at, 'cel.@mapInsert', accumulate(builder, at), builder.makeIdentifier(at, key), value),
  );

/** The macros of two variables: index and item of a list, key and value of a map. */
export const twoVariableMacros: readonly CelMacro[] = [
  defineTwoVariableMacro('all', 3, () => loopOfAll),
  defineTwoVariableMacro('exists', 3, () => loopOfExists),
  defineTwoVariableMacro('existsOne', 3, () => loopOfExistsOne),
  defineTwoVariableMacro('exists_one', 3, () => loopOfExistsOne),
  ...[3, 4].flatMap((count) => [
    defineTwoVariableMacro('transformList', count, () => loopOfTransformList),
    defineTwoVariableMacro('transformMap', count, insertEntry),
    defineTwoVariableMacro('transformMapEntry', count, () => loopOfTransformMapEntry),
  ]),
];

/** Yields `result` evaluated with the accumulator `variable` bound to `makeInitial()`. */
function bindVariable(
  builder: ExpressionBuilder,
  at: number,
  variable: string,
  makeInitial: () => Expression,
  result: Expression,
): Expression {
  return builder.makeComprehension(at, {
    range: builder.makeList(at),
    variable: unusedVariable,
    accumulator: variable,
    initial: makeInitial(),
    condition: builder.makeLiteral(at, false),
    step: builder.makeIdentifier(at, variable),
    result,
  });
}

function defineOptionalMacro(name: string, wraps: boolean): CelMacro {
  return {
    name,
    isMember: true,
    argumentCount: 2,
    expand: ({ builder, at, target, values: [item, mapped] }) => {
      const variable = readVariable(item!, `${name}() variable name must be a simple identifier`);
      if (isFault(variable)) return variable;
      const test = builder.makeMemberCall(at, 'hasValue', target);
      const takeValue = (): Expression => builder.makeMemberCall(at, 'value', builder.copy(target, at));
      const bound = bindVariable(builder, at, variable, takeValue, mapped!);
      const some = wraps ? builder.makeCall(at, 'optional.of', bound) : bound;
      return builder.makeCall(at, '_?_:_', test, some, builder.makeCall(at, 'optional.none'));
    },
  };
}

/** The macros of optional values. */
export const optionalMacros: readonly CelMacro[] = [
  defineOptionalMacro('optMap', true),
  defineOptionalMacro('optFlatMap', false),
];

const sortableKinds = new Set<Expression['kind']>(['list', 'select', 'identifier', 'comprehension', 'call']);
const sortInput = '@__sortBy_input__';

/** The macro of the list library. */
export const listMacros: readonly CelMacro[] = [
  {
    name: 'sortBy',
    isMember: true,
    argumentCount: 2,
    expand: ({ builder, at, target, values }) => {
      const input = builder.makeIdentifier(at, sortInput);
      if (!sortableKinds.has(target.kind)) {
        const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
        return { at: target.at, message };
      }
      const mapMacro = defineMacro('map', 2, 'argument is not an identifier', loopOfMap);
      const keys = mapMacro.expand({ builder, at, target: builder.copy(input, at), values });
      if (isFault(keys)) return keys;
      const sorted = builder.makeMemberCall(at, '@sortByAssociatedKeys', builder.copy(input, at), keys);
      return builder.makeComprehension(at, {
        range: builder.makeList(at),
        variable: unusedVariable,
        accumulator: sortInput,
        initial: target,
        condition: builder.makeLiteral(at, false),
        step: input,
        result: sorted,
      });
    },
  },
];
