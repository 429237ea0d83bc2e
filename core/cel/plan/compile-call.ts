import type { CelFunction, CelOverload } from '../libraries/cel-library.ts';
import { CelError, type CelResult, type CelValue } from '../values/cel-value.ts';
import { describeNoOverload, matchesType } from '../values/runtime-type.ts';
import { noSuchOverload } from '../values/arithmetic.ts';
import { compileDirectCall } from './compile-direct-call.ts';
import type { CostMeter } from './cost-meter.ts';
import type { CallPlan } from './call-plan.ts';
import type { Evaluate, Frame } from './frame.ts';

/** Calls a function with arguments that did not fail. */
type Invoke = (values: CelValue[]) => CelResult;

/** Evaluates a call of a function, and charges it. */
export function compileCall(plan: CallPlan): Evaluate {
  const { evaluates } = plan;
  const isStopping = stopsAtFailure(plan);
  const direct = isStopping ? undefined : compileDirectCall(plan);
  if (direct !== undefined) return direct;
  const invoke = guardWork(plan.fn, chooseInvoke(plan));
  const charge = chooseCharge(plan);
  return isStopping ? callUntilFailure(evaluates, invoke, charge) : callAfterAll(evaluates, invoke, charge);
}

/** cel-go evaluates no argument after one that failed, and charges nothing, where it binds a function of any number of arguments. */
function stopsAtFailure({ fn, overload, nodes }: CallPlan): boolean {
  if (nodes.length > 2 || overload?.isFunctionBinding === true) return true;
  return isPatternBound(nodes, fn) || (overload === undefined && fn.isSingleton !== true && fn.overloads.length > 1);
}

/** cel-go binds a call with a constant pattern anew, with the pattern compiled; its error then names no function. */
function isPatternBound(nodes: CallPlan['nodes'], { refuses }: CelFunction): boolean {
  const pattern = nodes[1];
  return refuses !== undefined && pattern?.kind === 'constant' && typeof pattern.value === 'string';
}

/** What a call invokes: its overload, or the one that the arguments turn out to be of. */
export function chooseInvoke({ fn, overload, nodes }: CallPlan): Invoke {
  if (fn.isSingleton === true) {
    const call = (overload ?? fn.overloads[0])?.call;
    if (call === undefined) return (values) => describeNoOverload(fn.name, values);
    if (!isPatternBound(nodes, fn)) return (values) => call(...values);
    return (values) => (typeof values[0] === 'string' ? call(...values) : noSuchOverload);
  }
  const accepts = fn.isUnguarded === true ? hasArity : takes;
  if (overload !== undefined) {
    const isBound = isPatternBound(nodes, fn);
    return (values) => {
      if (accepts(overload, values)) return overload.call!(...values);
      return isBound ? noSuchOverload : describeNoOverload(fn.name, values);
    };
  }
  return (values) => {
    const found = fn.overloads.find((candidate) => accepts(candidate, values));
    return found === undefined ? describeNoOverload(fn.name, values) : found.call!(...values);
  };
}

function hasArity({ parameters, call }: CelOverload, values: readonly CelValue[]): boolean {
  return call !== undefined && parameters.length === values.length;
}

function takes({ parameters, call }: CelOverload, values: readonly CelValue[]): boolean {
  if (call === undefined || parameters.length !== values.length) return false;
  for (let index = 0; index < values.length; index++) {
    if (!matchesType(values[index]!, parameters[index]!)) return false;
  }
  return true;
}

type InvokeMetered = (values: CelValue[], meter: CostMeter) => CelResult;

/** Asks the meter before a call that is dear or long. */
function guardWork({ estimate, work }: CelFunction, invoke: Invoke): InvokeMetered {
  if (estimate === undefined && work === undefined) return invoke;
  return (values, meter) => {
    if (estimate !== undefined) meter.admit(estimate(values));
    if (work !== undefined) meter.admitWork(work(values, meter.maxCallUnits));
    return invoke(values);
  };
}

type Charge = (values: readonly CelResult[], result: CelResult, frame: Frame) => void;

function chooseCharge({ fn, overload }: CallPlan): Charge {
  const byName = fn.cost;
  const byOverload = overload?.cost;
  if (byName === undefined && byOverload === undefined) {
    return (_values, _result, frame) => {
      frame.meter.charge(1);
    };
  }
  const id = overload?.id;
  return (values, result, frame) => {
    frame.meter.charge(byName?.(values, result, id) ?? byOverload?.(values, result) ?? 1);
  };
}

function callAfterAll(evaluates: readonly Evaluate[], invoke: InvokeMetered, charge: Charge): Evaluate {
  const [first, second] = evaluates;
  if (first === undefined) {
    return (frame) => {
      const result = invoke([], frame.meter);
      charge([], result, frame);
      return result;
    };
  }
  if (second === undefined) {
    return (frame) => {
      const value = first(frame);
      const result = value instanceof CelError ? value : invoke([value], frame.meter);
      charge([value], result, frame);
      return result;
    };
  }
  return (frame) => {
    const left = first(frame);
    const right = second(frame);
    const result =
      left instanceof CelError ? left : right instanceof CelError ? right : invoke([left, right], frame.meter);
    charge([left, right], result, frame);
    return result;
  };
}

function callUntilFailure(evaluates: readonly Evaluate[], invoke: InvokeMetered, charge: Charge): Evaluate {
  const last = evaluates.length - 1;
  return (frame) => {
    const values: CelValue[] = [];
    for (let index = 0; index <= last; index++) {
      const value = evaluates[index]!(frame);
      if (value instanceof CelError) {
        if (index === last) charge([...values, value], value, frame);
        return value;
      }
      values.push(value);
    }
    const result = invoke(values, frame.meter);
    charge(values, result, frame);
    return result;
  };
}
