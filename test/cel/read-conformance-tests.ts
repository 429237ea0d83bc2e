import { join } from 'node:path';

import { runProgram } from '../cluster/run-program.ts';
import { buildOracle } from '../oracle/build-oracle.ts';
import type { OracleAnswer, OracleRequest, TypedValue } from '../oracle/oracle-protocol.ts';

/** The Go module that publishes the conformance tests of the language. */
export const conformanceModule = 'cel.dev/expr@v0.25.2';

/** A conformance test of cel-spec, with what Kubernetes makes of it. */
export interface ConformanceTest extends Pick<
  OracleRequest,
  'expression' | 'container' | 'disableMacros' | 'checkOnly' | 'variables' | 'functions'
> {
  readonly file: string;
  readonly section: string;
  readonly name: string;
  readonly expected?: TypedValue;
  readonly expectedType?: string;
  readonly expectsError?: boolean;
  /** What the test needs and Kubernetes' environment cannot say, such as a value of a message it does not know. */
  readonly undeclared?: readonly string[];
  readonly kubernetes: OracleAnswer;
  /** Whether Kubernetes yields what the test expects. */
  readonly passes: boolean;
}

/** All conformance tests, each run by the oracle in the environment of new expressions. Throws when the module cannot be fetched. */
export async function readConformanceTests(): Promise<readonly ConformanceTest[]> {
  const module = JSON.parse(await runProgram('go', ['mod', 'download', '-json', conformanceModule])) as { Dir: string };
  const lines = await runProgram(await buildOracle(), ['conformance', join(module.Dir, 'tests', 'simple', 'testdata')]);
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ConformanceTest);
}
