import type { CelFunction, CelOverload } from '../libraries/cel-library.ts';
import type { Expression } from '../syntax/expression.ts';
import type { CelType } from '../types/cel-type.ts';
import type { CelValue } from '../values/cel-value.ts';
import type { CelEnvironment } from './cel-environment.ts';

/** What a name or a call of an expression is. */
export type CelReference =
  /** A variable of the environment, or of the innermost comprehension that declares one of this name. */
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: CelValue }
  /** The function with all its overloads, and those of them that the types of the arguments allow; one: it is known. */
  | { readonly kind: 'call'; readonly function: CelFunction; readonly overloads: readonly CelOverload[] }
  /** A type whose value the expression makes. */
  | { readonly kind: 'message'; readonly typeName: string };

/** An expression that was found right. Nodes are known by their ids. */
export interface CheckedExpression {
  readonly source: string;
  /** With what was found written into it: a qualified name is one identifier, and a call of a qualified function has no target. */
  readonly expression: Expression;
  readonly type: CelType;
  /** Without type parameters. The name of an optional selection's field has none. */
  readonly types: ReadonlyMap<number, CelType>;
  /** Of identifiers, calls and messages. */
  readonly references: ReadonlyMap<number, CelReference>;
  readonly environment: CelEnvironment;
}

/** Whether an expression reads a variable of its environment, or one of a comprehension that has its name. */
export function readsVariable({ references }: CheckedExpression, name: string): boolean {
  return references.values().some((reference) => reference.kind === 'variable' && reference.name === name);
}
