import type { CelOverload } from '../libraries/cel-library.ts';
import { CelError, type CelResult, type CelValue } from '../values/cel-value.ts';
import { describeNoOverload, matchesType } from '../values/runtime-type.ts';
import type { CallPlan } from './call-plan.ts';
import type { Evaluate } from './frame.ts';

/** A call of one or two arguments of which it is known what it calls; `undefined`: it must be found out, or the meter asked before. */
export function compileDirectCall({ fn, overload, evaluates }: CallPlan): Evaluate | undefined {
  if (fn.isUnguarded === true || fn.estimate !== undefined || fn.work !== undefined || fn.cost !== undefined)
    return undefined;
  const chosen = fn.isSingleton === true ? (overload ?? fn.overloads[0]) : overload;
  if (chosen?.call === undefined || (fn.isSingleton !== true && chosen.parameters.length !== evaluates.length))
    return undefined;
  const guard = fn.isSingleton === true ? undefined : chosen;
  if (evaluates.length === 1) return callOne(fn.name, chosen.call, guard, overload?.cost, evaluates[0]!);
  if (evaluates.length === 2) return callTwo(fn.name, chosen.call, guard, overload?.cost, evaluates[0]!, evaluates[1]!);
  return undefined;
}

type Call = NonNullable<CelOverload['call']>;

function callOne(
  name: string,
  call: Call,
  guard: CelOverload | undefined,
  cost: CelOverload['cost'],
  operand: Evaluate,
): Evaluate {
  const parameter = guard?.parameters[0];
  const invoke = (value: CelValue): CelResult =>
    parameter === undefined || matchesType(value, parameter) ? call(value) : describeNoOverload(name, [value]);
  return (frame) => {
    const value = operand(frame);
    const result = value instanceof CelError ? value : invoke(value);
    frame.meter.charge(cost === undefined ? 1 : cost([value], result));
    return result;
  };
}

function callTwo(
  name: string,
  call: Call,
  guard: CelOverload | undefined,
  cost: CelOverload['cost'],
  first: Evaluate,
  second: Evaluate,
): Evaluate {
  const [left, right] = guard?.parameters ?? [];
  const invoke = (a: CelValue, b: CelValue): CelResult =>
    left === undefined || right === undefined || (matchesType(a, left) && matchesType(b, right))
      ? call(a, b)
      : describeNoOverload(name, [a, b]);
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    const result = a instanceof CelError ? a : b instanceof CelError ? b : invoke(a, b);
    frame.meter.charge(cost === undefined ? 1 : cost([a, b], result));
    return result;
  };
}
