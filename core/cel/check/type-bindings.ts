import { isDynamic, isEqualOrLessSpecific, isSameType, unwrap } from '../types/compare-cel-types.ts';
import { dynType, type CelType } from '../types/cel-type.ts';
import { listTypeParameters } from '../types/format-cel-type.ts';
import { measureType } from '../types/measure-type.ts';

type TypeParameter = Extract<CelType, { kind: 'parameter' }>;

/** Thrown when types are so large, through what their parameters stand for, that comparing them takes too long. */
export class TypesTooLarge extends Error {
  override readonly name = 'TypesTooLarge';
}

/** Steps of comparing types for one expression: many times what the longest one needs, and some tenths of a second. */
const maxSteps = 2_000_000;

/** What the type parameters of one expression stand for, as far as it is known. Its methods throw TypesTooLarge. */
export class TypeBindings {
  readonly #bound = new Map<string, CelType>();
  /** What was bound before each change, to undo a unification that failed. */
  readonly #trail: [name: string, previous: CelType | undefined][] = [];
  #created = 0;
  #steps = 0;

  /** A type parameter that stands for nothing yet. */
  createParameter(): CelType {
    return { kind: 'parameter', name: `_var${this.#created++}` };
  }

  /** Whether the first type goes where the second is expected; binds parameters when it does, and nothing when it does not. */
  unify(from: CelType, to: CelType): boolean {
    return this.unifyAll([from], [to]);
  }

  /** The same over types pair by pair. */
  unifyAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    const unifies = this.#areAssignable(from, to);
    if (!unifies) this.#undo();
    this.#trail.length = 0;
    return unifies;
  }

  /** The type with parameters replaced by what they stand for; those that stand for nothing stay, or are `dyn` when `isFinal`. */
  substitute(type: CelType, isFinal = false): CelType {
    if (!measureType(type).isParametric) return type;
    this.#countStep();
    switch (type.kind) {
      case 'parameter': {
        const bound = this.#bound.get(type.name);
        if (bound !== undefined) return this.substitute(bound, isFinal);
        return isFinal ? dynType : type;
      }
      case 'list':
      case 'map':
      case 'opaque':
      case 'type':
        return replaceTypeParameters(type, (parameter) => this.substitute(parameter, isFinal));
      default:
        return type;
    }
  }

  #areAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, index) => this.#isAssignable(type, to[index]!));
  }

  #isAssignable(a: CelType, b: CelType): boolean {
    if (a === b) return true;
    this.#countStep();
    if (b.kind === 'parameter') {
      const { isValid, isBound } = this.#bind(a, b);
      if (isValid) return true;
      if (isBound) return false;
    }
    if (a.kind === 'parameter') return this.#bind(b, a).isValid;
    if (isDynamic(a) || isDynamic(b) || a.kind === 'error' || b.kind === 'error') return true;
    if (a.kind === 'null') return isNullable(b);
    if (b.kind === 'null') return isNullable(a);
    const first = unwrap(a);
    const second = unwrap(b);
    if (first.kind !== second.kind) return false;
    if (first.kind === 'type') return true;
    if (first.kind === 'object') return isSameType(first, second);
    if (first.kind === 'opaque' && first.name !== (second as typeof first).name) return false;
    return this.#areAssignable(listTypeParameters(first), listTypeParameters(second));
  }

  /** Lets a parameter stand for a type, or for the more general of the type and what it stood for. */
  #bind(type: CelType, parameter: TypeParameter): { isValid: boolean; isBound: boolean } {
    if (isSameType(type, parameter)) return { isValid: true, isBound: true };
    const bound = this.#bound.get(parameter.name);
    if (bound === undefined) {
      if (this.#occursIn(parameter, type)) return { isValid: false, isBound: false };
      this.#set(parameter.name, type);
      return { isValid: true, isBound: false };
    }
    if (isSameType(type, bound)) return { isValid: true, isBound: true };
    if (!this.#isAssignable(type, bound)) return { isValid: false, isBound: true };
    const general = isEqualOrLessSpecific(type, bound) ? type : bound;
    if (!this.#occursIn(parameter, general)) this.#set(parameter.name, general);
    return { isValid: true, isBound: true };
  }

  #occursIn(parameter: TypeParameter, type: CelType): boolean {
    if (!measureType(type).isParametric) return false;
    this.#countStep();
    if (type.kind !== 'parameter') return listTypeParameters(type).some((inner) => this.#occursIn(parameter, inner));
    if (type.name === parameter.name) return true;
    const bound = this.#bound.get(type.name);
    return bound !== undefined && this.#occursIn(parameter, bound);
  }

  #countStep(): void {
    if (++this.#steps > maxSteps) throw new TypesTooLarge();
  }

  #set(name: string, type: CelType): void {
    this.#trail.push([name, this.#bound.get(name)]);
    this.#bound.set(name, type);
  }

  #undo(): void {
    for (const [name, previous] of this.#trail.toReversed()) {
      if (previous === undefined) this.#bound.delete(name);
      else this.#bound.set(name, previous);
    }
  }
}

/** A type with the types it is made of replaced; the same object when none changes. */
export function replaceTypeParameters(type: CelType, replace: (parameter: CelType) => CelType): CelType {
  switch (type.kind) {
    case 'list': {
      const items = replace(type.items);
      return items === type.items ? type : { kind: 'list', items };
    }
    case 'map': {
      const keys = replace(type.keys);
      const values = replace(type.values);
      return keys === type.keys && values === type.values ? type : { kind: 'map', keys, values };
    }
    case 'type': {
      if (type.of === undefined) return type;
      const of = replace(type.of);
      return of === type.of ? type : { kind: 'type', of };
    }
    case 'opaque': {
      const parameters = type.parameters.map(replace);
      return parameters.every((parameter, index) => parameter === type.parameters[index])
        ? type
        : { kind: 'opaque', name: type.name, parameters };
    }
    default:
      return type;
  }
}

function isNullable(type: CelType): boolean {
  return ['opaque', 'object', 'timestamp', 'duration', 'wrapper', 'null'].includes(type.kind);
}
