import type { ReportedFile, TestReport } from './vitest-report.ts';

/** More than so many do not waver by chance. */
const maxFiles = 3;
/** Suites whose bar is that something never happens: seen once, it has. */
const bars = [
  'test/agent-checkpoint',
  'test/eviction-on-host',
  'test/eviction-race',
  'test/host-quota',
  'test/many-waiters',
  'test/power-loss/',
  'test/quota-race',
  'test/robustness',
  'test/service-',
];

/** A test that failed beside others and passed by itself. */
export interface WaveringTest {
  /** Path of its file from the checkout's folder. */
  readonly file: string;
  readonly fullName: string;
  /** First line of what it said when it failed. */
  readonly failure: string;
}

function listFailedFiles(report: TestReport): readonly ReportedFile[] {
  return report.testResults.filter(({ status }) => status === 'failed');
}

/**
 * The files to run once more, by themselves, as the report names them: suites of several processes that failed where a machine was busy
 * with others. None when anything failed that time cannot be blamed for, so that a run that has failed is not made longer.
 */
export function planSecondRun(report: TestReport, root: string): readonly string[] {
  const files = listFailedFiles(report).map(({ name }) => name);
  const mayWaver = (file: string): boolean => {
    const path = file.slice(root.length + 1);
    return path.startsWith('test/') && !bars.some((bar) => path.startsWith(bar));
  };
  return files.length <= maxFiles && files.every(mayWaver) ? files : [];
}

/** What failed in the first report and passed in the second. */
export function listWavering(first: TestReport, second: TestReport, root: string): readonly WaveringTest[] {
  return listFailedFiles(first).flatMap(({ name, assertionResults }) => {
    const again = second.testResults.find((file) => file.name === name);
    const passed = new Set(
      again?.assertionResults.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
    );
    return assertionResults
      .filter(({ status, fullName }) => status === 'failed' && passed.has(fullName))
      .map(({ fullName, failureMessages }) => ({
        file: name.slice(root.length + 1),
        fullName,
        failure: failureMessages?.[0]?.split('\n')[0] ?? 'no message',
      }));
  });
}

function countOf(files: readonly ReportedFile[], status: 'passed' | 'failed'): number {
  return files.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;
}

/** The first report with the files of the second in place of its own. */
export function replaceFiles(first: TestReport, second: TestReport): TestReport {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  const replaced = first.testResults.filter(({ name }) => again.has(name));
  const change = (status: 'passed' | 'failed'): number =>
    countOf(second.testResults, status) - countOf(replaced, status);
  return {
    numPassedTests: first.numPassedTests + change('passed'),
    numFailedTests: first.numFailedTests + change('failed'),
    testResults: first.testResults.map((file) => again.get(file.name) ?? file),
  };
}
