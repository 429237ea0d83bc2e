import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeOracle } from '../oracle/describe-oracle.ts';
import type { OracleAnswer, OracleRequest } from '../oracle/oracle-protocol.ts';
import { startOracle, type Oracle } from '../oracle/start-oracle.ts';

type GoldenCase = OracleRequest & { readonly answer: OracleAnswer };

const folder = fileURLToPath(new URL('../../core/cel/testdata/', import.meta.url));

function describeAnswer({ overloads: _overloads, ...answer }: OracleAnswer): string {
  return JSON.stringify(answer);
}

describeOracle('the answers that the unit tests of the expression language expect', () => {
  let oracle: Oracle;

  beforeAll(async () => {
    oracle = await startOracle();
  });

  afterAll(() => oracle?.stop());

  it("are Kubernetes' own (`node test/oracle/main.ts FILE…` renews them)", async () => {
    const files = await Array.fromAsync(glob('*.json', { cwd: folder }));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const cases = JSON.parse(await readFile(`${folder}${file}`, 'utf8')) as readonly GoldenCase[];
      const answers = await oracle.askAll(cases.map(({ answer: _answer, ...request }) => request));
      const stale = cases.filter(({ answer }, i) => describeAnswer(answer) !== describeAnswer(answers[i]!));
      expect(stale.map(({ expression }) => `${file}: ${expression}`)).toEqual([]);
    }
  });
});
