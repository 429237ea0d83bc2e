import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeOracle } from '../oracle/describe-oracle.ts';
import type { OracleAnswer } from '../oracle/oracle-protocol.ts';
import { startOracle, type Oracle } from '../oracle/start-oracle.ts';
import { compareAnswers } from './compare-answers.ts';
import { evaluateGeneratedPolicy } from './evaluate-generated-policy.ts';
import { explainDifference } from './explained-differences.ts';
import { OverloadTable } from './generator/overload-table.ts';
import { generatePolicies, toPolicyRequest, type GeneratedPolicy } from './generator/policy-worlds.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const count = isSoak ? 4000 : 600;
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 2 ** 31) : 20_260_401));
/** Variables that are refused make no policy; so many of the others must be left. */
const fewestEvaluated = count / 3;

describeOracle(`generated policies with variables (seed ${seed}) are evaluated as in Kubernetes`, () => {
  let oracle: Oracle;
  let pairs: readonly { generated: GeneratedPolicy; theirs: OracleAnswer; ours: OracleAnswer }[];

  beforeAll(async () => {
    oracle = await startOracle();
    // Of the environment of new expressions: what only the other has panics in Kubernetes when an argument is an error.
    const { functions } = await oracle.ask({ expression: '', environment: true });
    const policies = generatePolicies(seed, count, new OverloadTable(functions ?? {}));
    const answers = await oracle.askAll(policies.map(toPolicyRequest));
    pairs = policies.flatMap((generated, i) => {
      const theirs = answers[i]!;
      return theirs.failure === undefined ? [{ generated, theirs, ours: evaluateGeneratedPolicy(generated) }] : [];
    });
  });

  afterAll(() => oracle?.stop());

  function describe({ generated, theirs, ours }: (typeof pairs)[number]): string {
    const variables = generated.variables.map(({ name, expression }) => `\n  ${name}: ${expression}`).join('');
    return `${generated.validation}${variables}\n  Kubernetes: ${JSON.stringify(theirs)}\n  ours: ${JSON.stringify(ours)}`;
  }

  it('with the same result or error, and at the same cost', () => {
    const evaluated = pairs.filter(({ theirs }) => theirs.cost !== undefined);
    expect(evaluated.length).toBeGreaterThanOrEqual(fewestEvaluated);
    const different = evaluated.filter(({ generated, theirs, ours }) => {
      const all = [generated.validation, ...generated.variables.map(({ expression }) => expression)].join('\n');
      return compareAnswers(theirs, ours) !== undefined && explainDifference(theirs, ours, all) === undefined;
    });
    expect(different.map(describe)).toEqual([]);
  });

  it('with the same words about what is refused', () => {
    const refused = pairs.filter(({ theirs }) => theirs.cost === undefined);
    expect(refused.length).toBeGreaterThan(0);
    const different = refused.filter(
      ({ theirs, ours }) => ours.faults === undefined || !theirs.text?.endsWith(ours.text ?? ''),
    );
    expect(different.map(describe)).toEqual([]);
  });
});
