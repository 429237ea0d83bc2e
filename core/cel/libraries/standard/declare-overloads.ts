import type { CelType } from '../../types/cel-type.ts';
import { CelDuration, CelError, CelTimestamp, type CelResult, type CelValue } from '../../values/cel-value.ts';
import { noSuchOverload } from '../../values/arithmetic.ts';
import type { CelFunction, CelOverload } from '../cel-library.ts';

/** Implementation of a function; it looks at the types of its arguments itself. */
export type Implementation = (...values: CelValue[]) => CelResult;

/** An overload: id, parameters, result, and its cost where it is not 1. A member when its receiver is the first parameter. */
export type OverloadRow = readonly [
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  cost?: CelOverload['cost'],
];

function toOverload(row: OverloadRow, call: Implementation | undefined, isMember: boolean): CelOverload {
  const [id, parameters, result, cost] = row;
  return { id, isMember, parameters, result, ...(call && { call }), ...(cost && { cost }) };
}

/** A function of which one implementation does all overloads. */
export function declareSingleton(
  name: string,
  call: Implementation | undefined,
  overloads: readonly OverloadRow[],
  members: readonly OverloadRow[] = [],
): CelFunction {
  return {
    name,
    isSingleton: true,
    overloads: [
      ...overloads.map((row) => toOverload(row, call, false)),
      ...members.map((row) => toOverload(row, call, true)),
    ],
  };
}

/** A function whose overloads have one implementation, which is only called with what they declare. */
export function declareConversion(name: string, call: Implementation, overloads: readonly OverloadRow[]): CelFunction {
  return { name, overloads: overloads.map((row) => toOverload(row, call, false)) };
}

/** A function whose overloads are members with an implementation each. */
export function declareMembers(name: string, rows: readonly (readonly [OverloadRow, Implementation])[]): CelFunction {
  return { name, overloads: rows.map(([row, call]) => toOverload(row, call, true)) };
}

/** The operator, with cel-go's error for a left operand whose type it does not know at all. */
export function nameInError(name: string, isKnown: (value: CelValue) => boolean, call: Implementation): Implementation {
  const unknown = new CelError(`no such overload: ${name}`);
  return (...values) => {
    const result = call(...values);
    return result === noSuchOverload && !isKnown(values[0]!) && !isReceiver(values[0]!) ? unknown : result;
  };
}

/** Whether a value is of a type that cel-go asks itself for a function it does not know. */
function isReceiver(value: CelValue): boolean {
  return typeof value === 'string' || value instanceof CelTimestamp || value instanceof CelDuration;
}
