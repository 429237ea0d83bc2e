import type { CelFunction, CelOverload } from '../libraries/cel-library.ts';
import type { Call, Expression } from '../syntax/expression.ts';
import { isDynamic, isSameType } from '../types/compare-cel-types.ts';
import { boolType, dynType, errorType, type CelType } from '../types/cel-type.ts';
import { formatCelType } from '../types/format-cel-type.ts';
import { measureType } from '../types/measure-type.ts';
import type { CheckContext } from './check-context.ts';
import { replaceTypeParameters } from './type-bindings.ts';

/** Gives a call the overloads that its arguments allow and the type they yield; a fault when there is none. */
export function resolveOverload(
  context: CheckContext,
  call: Call,
  called: CelFunction,
  target: Expression | undefined,
  values: readonly Expression[],
): void {
  const types = (target === undefined ? values : [target, ...values]).map((node) => context.typeOf(node));
  const isLogical = called.name === '_&&_' || called.name === '_||_';
  const found = isLogical
    ? resolveLogical(context, called, values)
    : resolve(context, called, target !== undefined, types);
  if (found !== undefined) {
    context.setType(call, found.type);
    context.references.set(call.id, { kind: 'call', function: called, overloads: found.overloads });
    return;
  }
  context.types.set(call.id, errorType);
  if (isLogical) return;
  const signature = formatSignature(
    types.map((type) => context.bindings.substitute(type, true)),
    target !== undefined,
  );
  context.faults.add(call.at, `found no matching overload for '${called.name}' applied to '${signature}'`);
}

interface Resolution {
  readonly type: CelType;
  readonly overloads: readonly CelOverload[];
}

function resolve(
  context: CheckContext,
  called: CelFunction,
  isMember: boolean,
  types: readonly CelType[],
): Resolution | undefined {
  const { bindings } = context;
  const overloads: CelOverload[] = [];
  let type: CelType | undefined;
  for (const overload of called.overloads) {
    if (overload.isMember !== isMember) continue;
    const { parameters, result } = instantiate(context, overload);
    if (!bindings.unifyAll(types, parameters)) continue;
    overloads.push(overload);
    const yielded = bindings.substitute(result);
    if (type === undefined) type = yielded;
    else if (!isDynamic(type) && !isSameType(yielded, type)) type = dynType;
  }
  return type === undefined ? undefined : { type, overloads };
}

/** Operands of `&&` and `||` are looked at one by one, so that a fault points at the operand. */
function resolveLogical(
  context: CheckContext,
  called: CelFunction,
  operands: readonly Expression[],
): Resolution | undefined {
  const wrong = operands.filter((operand) => !context.bindings.unify(context.typeOf(operand), boolType));
  for (const operand of wrong) context.refuseType(operand, boolType, context.typeOf(operand));
  return wrong.length > 0 ? undefined : { type: boolType, overloads: called.overloads.slice(0, 1) };
}

/** The overload with type parameters that only this call has. */
function instantiate(
  context: CheckContext,
  overload: CelOverload,
): { parameters: readonly CelType[]; result: CelType } {
  if (!isParametric(overload)) return overload;
  const fresh = new Map<string, CelType>();
  const replace = (type: CelType): CelType => {
    if (type.kind !== 'parameter') return replaceTypeParameters(type, replace);
    const present = fresh.get(type.name) ?? context.bindings.createParameter();
    fresh.set(type.name, present);
    return present;
  };
  return { parameters: overload.parameters.map(replace), result: replace(overload.result) };
}

const parametric = new WeakMap<CelOverload, boolean>();

function isParametric(overload: CelOverload): boolean {
  let known = parametric.get(overload);
  if (known === undefined) {
    known = [overload.result, ...overload.parameters].some((type) => measureType(type).isParametric);
    parametric.set(overload, known);
  }
  return known;
}

function formatSignature(types: readonly CelType[], isMember: boolean): string {
  const names = types.map(formatCelType);
  return isMember ? `${names[0]}.(${names.slice(1).join(', ')})` : `(${names.join(', ')})`;
}
