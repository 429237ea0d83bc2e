import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeOracle } from '../oracle/describe-oracle.ts';
import { startOracle, type Oracle } from '../oracle/start-oracle.ts';
import { kindOf } from './compare-answers.ts';
import { runDifferential, type DifferentialReport, type FoundDifference } from './differential-run.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const count = isSoak ? 24_000 : 2_400;
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 2 ** 31) : 20_260_401));
const fewestOfEachOverload = isSoak ? 20 : 2;

describeOracle(`generated expressions (seed ${seed}) mean here what they mean in Kubernetes`, () => {
  let oracle: Oracle;
  let report: DifferentialReport;

  beforeAll(async () => {
    oracle = await startOracle();
    report = await runDifferential(oracle, seed, count);
  });

  afterAll(() => oracle?.stop());

  function describe({ generated, theirs, ours }: FoundDifference): string {
    return `[${generated.world.name}] ${generated.expression}\n  Kubernetes: ${JSON.stringify(theirs)}\n  ours: ${JSON.stringify(ours)}`;
  }
  function find(aspect: keyof FoundDifference['difference']): string[] {
    return report.differences.filter(({ difference }) => difference[aspect]).map(describe);
  }
  function share(matching: number): number {
    return matching / report.cases.length;
  }

  it('as many as asked, all overloads among them, reading objects and ending in errors', () => {
    const occurrences = new Map(report.overloadIds.map((id) => [id, 0]));
    for (const id of report.answers.flatMap(({ overloads = [] }) => overloads)) {
      occurrences.set(id, (occurrences.get(id) ?? 0) + 1);
    }
    expect(new Set(report.cases.map(({ expression }) => expression)).size).toBe(count);
    expect([...occurrences].filter(([, times]) => times < fewestOfEachOverload)).toEqual([]);
    const readers = report.cases.filter(({ expression }) => /\b(?:object|oldObject)\b/.test(expression));
    expect(share(readers.length)).toBeGreaterThanOrEqual(0.3);
    const failed = report.answers.filter((answer) => ['error', 'faults'].includes(kindOf(answer)));
    expect(share(failed.length)).toBeGreaterThanOrEqual(0.25);
  });

  it('with the same result, or an error where Kubernetes has one, always', () => {
    expect(find('outcome')).toEqual([]);
  });

  it('with faults where Kubernetes finds them, in 99.5 % at least', () => {
    const found = find('verdict');
    expect(share(found.length), found.join('\n')).toBeLessThanOrEqual(0.005);
  });

  it('at the same cost, in 99.9 % at least', () => {
    const found = find('cost');
    expect(share(found.length), found.join('\n')).toBeLessThanOrEqual(0.001);
  });

  it('in the same words, in 99 % at least', () => {
    const found = find('words');
    expect(share(found.length), found.join('\n')).toBeLessThanOrEqual(0.01);
  });

  it('but for few that are explained', () => {
    console.log(
      `seed ${seed}, ${count} expressions; explained: ${JSON.stringify(Object.fromEntries(report.explained))}`,
    );
    console.log(`other differences: ${report.differences.length}`, ...report.differences.map(describe));
    const explained = [...report.explained.values()].reduce((sum, times) => sum + times, 0);
    expect(share(explained)).toBeLessThanOrEqual(0.03);
    expect(share(report.explained.get('optionals-in-branches') ?? 0)).toBeLessThanOrEqual(0.005);
  });
});
