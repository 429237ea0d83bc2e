import type { CelFunction } from '../libraries/cel-library.ts';
import { isEqualOrLessSpecific } from '../types/compare-cel-types.ts';
import { dynType, errorType, type CelType } from '../types/cel-type.ts';
import { measureType } from '../types/measure-type.ts';
import { formatCelType } from '../types/format-cel-type.ts';
import { findField, listCandidateNames, type CelEnvironment } from './cel-environment.ts';
import type { CelReference } from './checked-expression.ts';
import { FaultList } from './fault-list.ts';
import { findDeclaration, type Declaration, type Scope } from './scope.ts';
import { TypeBindings } from './type-bindings.ts';

/** Types are written by people, or follow from what they write: far smaller ones are unheard of. */
const maxTypeSize = 250;

/** A node of an expression, or an entry of one: what a fault points at. */
interface Place {
  readonly at: number;
}

/** What the check of one expression has found so far. */
export class CheckContext {
  readonly environment: CelEnvironment;
  readonly bindings = new TypeBindings();
  readonly types = new Map<number, CelType>();
  readonly references = new Map<number, CelReference>();
  readonly faults: FaultList;
  scope: Scope | undefined;

  constructor(source: string, environment: CelEnvironment) {
    this.environment = environment;
    this.faults = new FaultList(source);
  }

  /** Type of a node that was checked. */
  typeOf(node: { readonly id: number }): CelType {
    return this.types.get(node.id) ?? errorType;
  }

  /** Gives a node its type; one that is too large is a fault, so that no check takes long. */
  setType(node: Place & { readonly id: number }, type: CelType): void {
    const isTooLarge = measureType(type).size > maxTypeSize;
    if (isTooLarge) this.faults.add(node.at, 'the type of the expression is too large');
    this.types.set(node.id, isTooLarge ? errorType : type);
  }

  findDeclaration(name: string): Declaration | undefined {
    return findDeclaration(this.environment, this.scope, name);
  }

  /** A function by the name that a call has; `undefined` when there is none. */
  findFunction(written: string): CelFunction | undefined {
    const { functions } = this.environment;
    const name = listCandidateNames(this.environment, written).find((candidate) => functions.has(candidate));
    return name === undefined ? undefined : functions.get(name);
  }

  /** Runs `check` where these variables are declared. */
  declare<T>(variables: ReadonlyMap<string, CelType>, check: () => T): T {
    const outer = this.scope;
    this.scope = { variables, outer };
    try {
      return check();
    } finally {
      this.scope = outer;
    }
  }

  /** Requires that a node's type goes where `expected` is. */
  expectType(node: Place & { readonly id: number }, expected: CelType): void {
    const actual = this.typeOf(node);
    if (!this.bindings.unify(expected, actual)) this.refuseType(node, expected, actual);
  }

  /** The type of the items of a literal so far (`undefined`: none), and one more. */
  joinTypes(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    if (!this.bindings.unify(previous, current)) return dynType;
    return isEqualOrLessSpecific(previous, current) ? previous : current;
  }

  /** Type of a field of a declared type; `undefined`, with a fault, when it has none of this name. */
  findFieldType(place: Place, typeName: string, field: string): CelType | undefined {
    if (!this.environment.objects.has(typeName)) {
      this.faults.add(place.at, `unexpected failed resolution of '${typeName}'`);
      return undefined;
    }
    const found = findField(this.environment, typeName, field);
    if (found === undefined) this.faults.add(place.at, `undefined field '${field}'`);
    return found?.type;
  }

  refuseType(place: Place, expected: CelType, actual: CelType): void {
    this.faults.add(place.at, `expected type '${formatCelType(expected)}' but found '${formatCelType(actual)}'`);
  }

  refuseName(place: Place, name: string): void {
    this.faults.add(place.at, `undeclared reference to '${name}' (in container '${this.environment.container ?? ''}')`);
  }
}
