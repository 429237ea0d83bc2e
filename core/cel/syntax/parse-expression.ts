import type { CelFault } from '../cel-program.ts';
import { describeFaults } from './describe-faults.ts';
import type { Expression } from './expression.ts';
import { makeMacroTable, type MacroTable } from './macro.ts';
import { parseValid } from './parse-valid.ts';
import { nowhere, SourceText } from './source-text.ts';
import { optionalMacros, standardMacros, twoVariableMacros } from './standard-macros.ts';

/** What a parse yields: an expression with macros expanded, or at least one fault; `count` is how many there are, of which 100 are kept. */
export type CelParse =
  | { readonly expression: Expression; readonly faults?: undefined; readonly count?: undefined }
  | { readonly expression?: undefined; readonly faults: readonly CelFault[]; readonly count: number };

const maxSize = 100_000;
const maxDepth = 250;
const defaultMacros = makeMacroTable(standardMacros, optionalMacros, twoVariableMacros);

/** Parses an expression as cel-go does with optional syntax; `macros` absent: the standard, optional and two-variable ones. */
export function parseExpression(source: string, macros: MacroTable = defaultMacros): CelParse {
  const text = new SourceText(source);
  if (text.size > maxSize) {
    return refuse(`expression code point size exceeds limit: size: ${text.size}, limit ${maxSize}`);
  }
  const quick = parseValid(text, macros, maxDepth);
  if (typeof quick === 'string') return refuse(quick);
  if (quick !== undefined) return { expression: quick };
  const { expression, faults, count } = describeFaults(text, macros, maxDepth);
  if (faults.length > 0) return { faults, count };
  if (expression === undefined) throw new Error('a source without faults has no expression');
  return { expression };
}

function refuse(message: string): CelParse {
  return { faults: [{ at: -1, ...nowhere, message }], count: 1 };
}
