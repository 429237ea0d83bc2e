import { expect, it } from 'vitest';

import { listWavering, planSecondRun, replaceFiles } from './plan-second-run.ts';
import type { ReportedFile, TestReport } from './vitest-report.ts';

const root = '/checkout';

function describeFile(path: string, results: Readonly<Record<string, 'passed' | 'failed' | 'skipped'>>): ReportedFile {
  const assertionResults = Object.entries(results).map(([fullName, status]) => ({
    ...{ fullName, status, ancestorTitles: ['suite'] },
    ...(status === 'failed' && { failureMessages: [`Error: ${fullName} was late\n    at somewhere`] }),
  }));
  const isFailed = assertionResults.length === 0 || assertionResults.some(({ status }) => status === 'failed');
  return { name: `${root}/${path}`, status: isFailed ? 'failed' : 'passed', assertionResults };
}

function report(...testResults: readonly ReportedFile[]): TestReport {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (wanted: string): number => tests.filter(({ status }) => status === wanted).length;
  return { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults };
}

const fine = describeFile('core/path.test.ts', { a: 'passed' });
const failed = { a: 'failed' } as const;

it.for([
  ['nothing where all passed', [], []],
  ['a suite of several processes', ['test/aggregated.test.ts'], ['/checkout/test/aggregated.test.ts']],
  ['nothing of a unit test', ['core/cel/parse.test.ts'], []],
  ['nothing beside a unit test that failed', ['test/aggregated.test.ts', 'core/cel/parse.test.ts'], []],
  ['nothing of a race that was lost', ['test/eviction-race.test.ts'], []],
  ['nothing of a write that lost power took', ['test/power-loss/power-loss.test.ts'], []],
  ['nothing of a write that a kill took', ['test/store/kill.test.ts'], []],
  ['nothing of pods that an outage took', ['test/node-lifecycle-outage.test.ts'], []],
  ['nothing of many', ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts', 'test/d.test.ts'], []],
] as const)('runs again: %s', ([, paths, expected]) => {
  const files = paths.map((path) => describeFile(path, failed));
  expect(planSecondRun(report(fine, ...files), 0, root)).toEqual(expected);
});

it('runs a suite again that did not load', () => {
  const unloaded = describeFile('test/aggregated.test.ts', {});
  expect(planSecondRun(report(fine, unloaded), 0, root)).toEqual([unloaded.name]);
});

it('runs nothing again beside an error that no test caught', () => {
  expect(planSecondRun(report(fine, describeFile('test/aggregated.test.ts', failed)), 1, root)).toEqual([]);
});

it('names a suite that a hook failed', () => {
  const late = {
    ...describeFile('test/aggregated.test.ts', { a: 'skipped' }),
    status: 'failed',
    message: 'Error: late\n at',
  };
  const second = report(describeFile('test/aggregated.test.ts', { a: 'passed' }));
  expect(listWavering(report(fine, late), second, root)).toEqual([
    { file: 'test/aggregated.test.ts', fullName: undefined, failure: 'Error: late' },
  ]);
  expect(replaceFiles(report(fine, late), second)).toMatchObject({ numPassedTests: 2, numFailedTests: 0 });
});

it('takes the results of the second run, and names what they differ in', () => {
  const first = report(
    fine,
    describeFile('test/aggregated.test.ts', { a: 'passed', b: 'failed', c: 'failed', d: 'skipped' }),
  );
  const second = report(
    describeFile('test/aggregated.test.ts', { a: 'passed', b: 'passed', c: 'failed', d: 'skipped' }),
  );
  expect(replaceFiles(first, second)).toEqual({
    numPassedTests: 3,
    numFailedTests: 1,
    testResults: [fine, ...second.testResults],
  });
  expect(listWavering(first, second, root)).toEqual([
    { file: 'test/aggregated.test.ts', fullName: 'b', failure: 'Error: b was late' },
  ]);
});

it('counts a test as failed that passed before and no longer does', () => {
  const first = report(fine, describeFile('test/aggregated.test.ts', { a: 'passed', b: 'failed' }));
  const second = report(describeFile('test/aggregated.test.ts', { a: 'failed', b: 'passed' }));
  expect(replaceFiles(first, second)).toMatchObject({ numPassedTests: 2, numFailedTests: 1 });
});
