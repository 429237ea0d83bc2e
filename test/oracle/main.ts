import { readFile, writeFile } from 'node:fs/promises';

import { format, resolveConfig } from 'prettier';

import type { OracleAnswer, OracleRequest } from './oracle-protocol.ts';
import { startOracle } from './start-oracle.ts';

/**
 * `node test/oracle/main.ts [--check] FILE…`: asks the oracle every question of files of cases (a list of oracle requests, each with its
 * `answer`) and writes the answers there; with `--check`, fails when one differs.
 */
const words = process.argv.slice(2);
const check = words.includes('--check');
const oracle = await startOracle();
for (const file of words.filter((word) => !word.startsWith('--'))) {
  const before = await readFile(file, 'utf8');
  const cases = JSON.parse(before) as (OracleRequest & { answer?: OracleAnswer })[];
  const answers = await oracle.askAll(cases.map(({ answer: _answer, ...request }) => request));
  const renewed = cases.map((one, i) => ({ ...one, answer: answers[i] }));
  const after = await format(JSON.stringify(renewed), { ...(await resolveConfig(file)), filepath: file });
  if (after === before) continue;
  console.log(`${check ? 'out of date' : 'renewed'}: ${file}`);
  if (check) process.exitCode = 1;
  else await writeFile(file, after);
}
await oracle.stop();
