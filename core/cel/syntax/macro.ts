import type { Expression } from './expression.ts';
import type { ExpressionBuilder } from './expression-builder.ts';

/** Why a macro cannot be expanded; `at` is an offset in code points. */
export interface MacroFault {
  readonly at: number;
  readonly message: string;
}

/** A call that the parser replaces by other expressions. */
export interface CelMacro {
  readonly name: string;
  readonly isMember: boolean;
  readonly argumentCount: number;
  /** Yields the expansion; new nodes stand at `at`, where the call's parenthesis stands. `target` is there for a member macro. */
  readonly expand: (call: MacroCall) => Expression | MacroFault;
}

/** What a macro is expanded with. */
export interface MacroCall {
  readonly builder: ExpressionBuilder;
  readonly at: number;
  /** The receiver; for a global macro meaningless. */
  readonly target: Expression;
  readonly values: readonly Expression[];
}

/** Macros by name, receiver and number of arguments. */
export type MacroTable = ReadonlyMap<string, CelMacro>;

/** Collects macros to a table for the parser. */
export function makeMacroTable(...macros: readonly (readonly CelMacro[])[]): MacroTable {
  return new Map(
    macros.flat().map((macro) => [makeMacroKey(macro.name, macro.isMember, macro.argumentCount), macro] as const),
  );
}

/** The key of a macro in its table. */
export function makeMacroKey(name: string, isMember: boolean, argumentCount: number): string {
  return `${name}/${isMember ? 'member' : 'global'}/${argumentCount}`;
}
