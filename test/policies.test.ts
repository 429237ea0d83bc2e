import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { allScenarios } from './policies/cases/all-scenarios.ts';
import { compareAnswers } from './policies/compare-answers.ts';
import { type RecordedAnswers, recordAnswers } from './policies/record-answers.ts';
import { type Judge, startOwnJudge, startRealJudge } from './policies/start-judges.ts';

/** Requests that must be among those that are compared, so that none gets lost. */
const fewestRequests = 300;

/** Policies whose types are checked otherwise on purpose: vap-type-checking-quantities in docs/deviations.md. */
const quantityPolicies: ReadonlySet<string> = new Set(['typed-quantity', 'typed-quantity-number']);

const file = join(import.meta.dirname, 'policies/testdata/answers.json');

async function readRecord(): Promise<RecordedAnswers> {
  return JSON.parse(await readFile(file, 'utf8')) as RecordedAnswers;
}

/** Compares a server's answers, scenario by scenario, with those that the real one gave when they were recorded. `deviates`: whether it is ours. */
function compareWithRecord(startJudge: () => Promise<Judge>, deviates: boolean): void {
  let judge: Judge;
  let real: RecordedAnswers;
  let ours: RecordedAnswers;

  beforeAll(async () => {
    real = await readRecord();
    judge = await startJudge();
    ours = await recordAnswers(judge, true);
  });
  afterAll(() => judge?.stop());

  const listDifferences = (name: string, isUnordered = false): string[] => {
    const expected = real.answers[name] ?? [];
    const actual = ours.answers[name] ?? [];
    expect(actual).toHaveLength(expected.length);
    return expected.flatMap((answer, index) => {
      const mine = actual[index];
      return mine === undefined ? [] : compareAnswers(mine, answer, { isUnordered, isRepeated: !deviates });
    });
  };

  it.for(allScenarios.map(({ name, isUnordered, deviation }) => [name, isUnordered, deviation] as const))(
    '%s',
    ([name, isUnordered, deviation]) => {
      const differences = listDifferences(name, isUnordered);
      if (deviation === undefined || !deviates) expect(differences).toEqual([]);
      else expect(differences, `no longer differs, in spite of ${deviation}`).not.toEqual([]);
    },
  );

  it('checks the types of policies alike', () => {
    const known = (checks: RecordedAnswers['typeChecks']) =>
      Object.entries(checks).filter(([name]) => !deviates || !quantityPolicies.has(name));
    expect(known(ours.typeChecks)).toEqual(known(real.typeChecks));
  });
}

describe('the record of policies', () => {
  it('has enough requests', async () => {
    const { answers } = await readRecord();
    expect(Object.values(answers).flat().length).toBeGreaterThanOrEqual(fewestRequests);
    const deviations = await readFile(join(import.meta.dirname, '../docs/deviations.md'), 'utf8');
    for (const { deviation } of allScenarios) expect(deviations).toContain(deviation ?? '');
    expect(Object.keys(answers).toSorted()).toEqual(allScenarios.map(({ name }) => name).toSorted());
  });
});

describe('policies embedded, against what the real API server answered', () => compareWithRecord(startOwnJudge, true));

describeCluster('the real API server, against what it answered when it was recorded', () =>
  compareWithRecord(startRealJudge, false),
);
