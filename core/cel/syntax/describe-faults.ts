import type { CelFault } from '../cel-program.ts';
import { TreeConverter } from './convert-tree.ts';
import type { Expression } from './expression.ts';
import type { MacroTable } from './macro.ts';
import { ParseGivenUp } from './parse-given-up.ts';
import { RecoveringParser } from './recovering-parser.ts';
import { nowhere, type SourceText } from './source-text.ts';
import { TokenStream } from './token-stream.ts';

const maxFaults = 100;
const maxSyntaxFaults = 100;

/** What the slow and thorough parse found; without faults the expression is sound. */
export interface ThoroughParse {
  readonly expression?: Expression;
  /** As they were found, at most 100. */
  readonly faults: readonly CelFault[];
  /** How many there were. */
  readonly count: number;
}

/** Parses as cel-go does, which goes on after a fault, and yields all faults in its words. */
export function describeFaults(source: SourceText, macros: MacroTable, maxDepth: number): ThoroughParse {
  const faults: CelFault[] = [];
  let count = 0;
  const report = (at: number, message: string): void => {
    if (++count <= maxFaults) faults.push({ at, ...source.locate(at), message });
  };
  let syntaxFaults = 0;
  const reportSyntax = (at: number, message: string): void => {
    if (++syntaxFaults <= maxSyntaxFaults) return report(at, `Syntax error: ${message}`);
    report(at, `Syntax error: More than ${maxSyntaxFaults} syntax errors`);
    throw new ParseGivenUp();
  };
  try {
    const tokens = new TokenStream(source, reportSyntax);
    const tree = new RecoveringParser(tokens, reportSyntax, maxDepth).parse();
    return { expression: new TreeConverter(report, macros, maxDepth, source.size).convert(tree), faults, count };
  } catch (error) {
    if (!(error instanceof ParseGivenUp)) throw error;
    if (error.fault !== undefined && ++count <= maxFaults) faults.push({ at: -1, ...nowhere, message: error.fault });
    return { faults, count };
  }
}
