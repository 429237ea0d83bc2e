import { askByLines, type LineProgram } from './ask-by-lines.ts';
import { buildOracle } from './build-oracle.ts';
import type { OracleAnswer, OracleRequest } from './oracle-protocol.ts';

/** A running oracle of expressions. */
export type Oracle = LineProgram<OracleRequest, OracleAnswer>;

/** cel-go's lists and texts may grow without end within a budget. */
const addressSpaceKilobytes = 8_000_000;

/** Starts the oracle, building it when it has to. */
export async function startOracle(): Promise<Oracle> {
  return askByLines(await buildOracle(), addressSpaceKilobytes);
}
