import { askByLines, type LineProgram } from './ask-by-lines.ts';
import { buildFlowOracle } from './build-oracle.ts';
import type { FlowOracleAnswer, FlowOracleRequest } from './flow-oracle-protocol.ts';

/** A running oracle of flow control. */
export type FlowOracle = LineProgram<FlowOracleRequest, FlowOracleAnswer>;

const addressSpaceKilobytes = 8_000_000;

/** Starts the oracle, building it when it has to. */
export async function startFlowOracle(): Promise<FlowOracle> {
  return askByLines(await buildFlowOracle(), addressSpaceKilobytes);
}
