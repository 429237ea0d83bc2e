import type { CelType } from './cel-type.ts';
import { listTypeParameters } from './format-cel-type.ts';

/** Whether two types are the same; a wrapper is the same as what it wraps, and type parameters are by name. */
export function isSameType(a: CelType, b: CelType): boolean {
  return isSame(a, b, true);
}

/** Whether two types are the same but for the names of type parameters. */
export function isEquivalentType(a: CelType, b: CelType): boolean {
  return isSame(a, b, false);
}

/** Whether anything goes where this type is expected. */
export function isDynamic(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any';
}

/** Whether two types that unify are the same, or the first leaves more open. */
export function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDynamic(a) || a.kind === 'parameter') return true;
  if (isDynamic(b) || b.kind === 'parameter') return false;
  const first = unwrap(a);
  const second = unwrap(b);
  if (first.kind !== second.kind) return false;
  if (first.kind === 'type') return true;
  if (first.kind !== 'opaque' && first.kind !== 'list' && first.kind !== 'map') return isSameType(first, second);
  const parameters = listTypeParameters(first);
  const others = listTypeParameters(second);
  if (nameOf(first) !== nameOf(second) || parameters.length !== others.length) return false;
  return parameters.every((parameter, index) => isEqualOrLessSpecific(parameter, others[index]!));
}

/** A primitive that may be null as the primitive, any other type as it is. */
export function unwrap(type: CelType): CelType {
  return type.kind === 'wrapper' ? type.of : type;
}

function isSame(a: CelType, b: CelType, areParametersNamed: boolean): boolean {
  if (a === b) return true;
  const first = unwrap(a);
  const second = unwrap(b);
  if (first.kind !== second.kind) return false;
  if ((areParametersNamed || first.kind !== 'parameter') && nameOf(first) !== nameOf(second)) return false;
  const parameters = listTypeParameters(first);
  const others = listTypeParameters(second);
  if (parameters.length !== others.length) return false;
  return parameters.every((parameter, index) => isSame(parameter, others[index]!, areParametersNamed));
}

function nameOf(type: CelType): string | undefined {
  return type.kind === 'opaque' || type.kind === 'object' || type.kind === 'parameter' ? type.name : undefined;
}
