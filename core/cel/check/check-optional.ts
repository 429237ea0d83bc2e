import type { Expression } from '../syntax/expression.ts';
import { isDynamic } from '../types/compare-cel-types.ts';
import { makeOptionalType, type CelType } from '../types/cel-type.ts';
import type { CheckContext } from './check-context.ts';

/** What an optional holds; `undefined` for another type. */
export function unwrapOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined;
}

/** Type of what an optional item of a literal adds; a fault when it is no optional. */
export function checkOptionalItem(context: CheckContext, item: Expression): CelType {
  const type = context.typeOf(item);
  const held = unwrapOptional(type);
  if (held !== undefined) return held;
  if (!isDynamic(type)) context.refuseType(item, makeOptionalType(type), type);
  return type;
}
