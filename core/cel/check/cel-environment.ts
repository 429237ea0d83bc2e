import type { CelFunction, CelLibrary, CelOverload } from '../libraries/cel-library.ts';
import type { MacroTable } from '../syntax/macro.ts';
import type { CelType } from '../types/cel-type.ts';
import { escapeFieldName } from '../types/escape-field-name.ts';
import type { CelValue } from '../values/cel-value.ts';

/** A field of a type; `property` is its name in JSON. */
export interface CelField {
  readonly type: CelType;
  readonly property: string;
}

/** A type with fields, by the names expressions use; whoever declares it may still add some. */
export interface CelObjectType {
  readonly name: string;
  readonly fields: ReadonlyMap<string, CelField>;
  /** Whether the type is there when an expression is evaluated, not only when it is checked. */
  readonly isBuiltIn?: true;
}

/** What expressions may use. Shared by all that are compiled in it. */
export interface CelEnvironment {
  readonly functions: ReadonlyMap<string, CelFunction>;
  readonly variables: ReadonlyMap<string, CelType>;
  /** Types by the names that denote them. */
  readonly types: ReadonlyMap<string, CelType>;
  readonly objects: ReadonlyMap<string, CelObjectType>;
  /** Constants by name, such as the values of an enumeration. */
  readonly constants: ReadonlyMap<string, { readonly type: CelType; readonly value: CelValue }>;
  /** Where names are looked up first: `x` is `a.b.x`, `a.x` or `x` in the container `a.b`, and `.x` is `x` alone. Absent: nowhere. */
  readonly container?: string;
  /** What calls are expanded when an expression is parsed; absent: those of new expressions. */
  readonly macros?: MacroTable;
}

/** What an environment is made of, or gets in addition. */
export interface EnvironmentParts {
  readonly libraries?: readonly CelLibrary[];
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly objects?: readonly CelObjectType[];
  readonly constants?: CelEnvironment['constants'];
  readonly macros?: MacroTable;
  readonly container?: string;
}

/** An environment of these parts; a library adds its overloads to those that earlier ones have of a function. */
export function buildEnvironment(parts: EnvironmentParts): CelEnvironment {
  const empty = {
    functions: new Map(),
    variables: new Map(),
    types: new Map(),
    objects: new Map(),
    constants: new Map(),
  };
  return extendEnvironment(empty, parts);
}

/** An environment with more parts; the given one stays as it is. */
export function extendEnvironment(environment: CelEnvironment, parts: EnvironmentParts): CelEnvironment {
  const { libraries = [], variables = {}, objects = [], constants, macros = environment.macros } = parts;
  const { container = environment.container } = parts;
  const functions = libraries.length === 0 ? environment.functions : addFunctions(environment.functions, libraries);
  const types = libraries.flatMap((library) => Object.entries(library.types ?? {}));
  return {
    functions,
    variables: new Map([...environment.variables, ...Object.entries(variables)]),
    types: types.length === 0 ? environment.types : new Map([...environment.types, ...types]),
    objects: new Map([...environment.objects, ...objects.map((object) => [object.name, object] as const)]),
    constants: constants === undefined ? environment.constants : new Map([...environment.constants, ...constants]),
    ...(macros && { macros }),
    ...(container === undefined ? {} : { container }),
  };
}

/** What a name may stand for, the first that is declared. */
export function listCandidateNames({ container = '' }: CelEnvironment, written: string): readonly string[] {
  if (written.startsWith('.')) return [written.slice(1)];
  if (container === '') return [written];
  const parts = container.split('.');
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join('.')}.${written}`), written];
}

/** A field of a declared type by the name an expression uses, escaped or plain; `undefined` when it has none. */
export function findField(environment: CelEnvironment, typeName: string, field: string): CelField | undefined {
  const fields = environment.objects.get(typeName)?.fields;
  return fields?.get(field) ?? fields?.get(escapeFieldName(field) ?? field);
}

function addFunctions(
  known: ReadonlyMap<string, CelFunction>,
  libraries: readonly CelLibrary[],
): ReadonlyMap<string, CelFunction> {
  const functions = new Map(known);
  for (const added of libraries.flatMap((library) => library.functions)) {
    const present = functions.get(added.name);
    functions.set(added.name, present === undefined ? added : mergeFunctions(present, added));
  }
  return functions;
}

function mergeFunctions(first: CelFunction, second: CelFunction): CelFunction {
  const known = new Set(first.overloads.map((overload: CelOverload) => overload.id));
  const overloads = [...first.overloads, ...second.overloads.filter(({ id }) => !known.has(id))];
  const cost = mergeOptional(
    first.cost,
    second.cost,
    (a, b) =>
      (...facts) =>
        a(...facts) ?? b(...facts),
  );
  const estimate = mergeOptional(
    first.estimate,
    second.estimate,
    (a, b) =>
      (...facts) =>
        Math.max(a(...facts), b(...facts)),
  );
  const work = mergeOptional(
    first.work,
    second.work,
    (a, b) =>
      (...facts) =>
        Math.max(a(...facts), b(...facts)),
  );
  return {
    ...second,
    ...first,
    overloads,
    ...(cost && { cost }),
    ...(estimate && { estimate }),
    ...(work && { work }),
  };
}

function mergeOptional<T>(
  first: T | undefined,
  second: T | undefined,
  merge: (first: T, second: T) => T,
): T | undefined {
  if (first === undefined) return second;
  return second === undefined ? first : merge(first, second);
}
