import type { ReportedFile, TestReport } from './vitest-report.ts';

/** More than so many do not waver by chance. */
const maxFiles = 3;
/** Suites whose bar is that something never happens: seen once, it has. */
const bars = [
  'test/agent-checkpoint',
  'test/drain',
  'test/eviction-on-host',
  'test/eviction-race',
  'test/garbage',
  'test/host-power-off',
  'test/host-quota',
  'test/many-waiters',
  'test/node-lifecycle-outage',
  'test/power-loss/',
  'test/quota-race',
  'test/robustness',
  'test/service-',
  'test/store/',
];

/** A test that failed beside others and passed by itself. */
export interface WaveringTest {
  /** Path of its file from the checkout's folder. */
  readonly file: string;
  /** `undefined`: something around its tests failed, such as a hook. */
  readonly fullName: string | undefined;
  /** First line of what it said when it failed. */
  readonly failure: string;
}

function listFailedFiles(report: TestReport): readonly ReportedFile[] {
  return report.testResults.filter(({ status }) => status === 'failed');
}

/**
 * The files to run once more, by themselves, as the report names them: suites of several processes that failed where a machine was busy
 * with others. None when anything failed that time cannot be blamed for, an error that no test caught among it (`unhandledErrors`, their
 * number): a second run would not show that again.
 */
export function planSecondRun(report: TestReport, unhandledErrors: number, root: string): readonly string[] {
  if (unhandledErrors > 0) return [];
  const files = listFailedFiles(report).map(({ name }) => name);
  const mayWaver = (file: string): boolean => {
    const path = file.slice(root.length + 1);
    return path.startsWith('test/') && !bars.some((bar) => path.startsWith(bar));
  };
  return files.length <= maxFiles && files.every(mayWaver) ? files : [];
}

function readFirstLine(text: string | undefined): string {
  return text?.split('\n')[0] || 'no message';
}

/** What failed in the first report and passed in the second. */
export function listWavering(first: TestReport, second: TestReport, root: string): readonly WaveringTest[] {
  return listFailedFiles(first).flatMap(({ name, assertionResults, message }): readonly WaveringTest[] => {
    const again = second.testResults.find((file) => file.name === name);
    const file = name.slice(root.length + 1);
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && again?.status === 'passed') {
      return [{ file, fullName: undefined, failure: readFirstLine(message) }];
    }
    const passed = new Set(
      again?.assertionResults.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
    );
    return failed
      .filter(({ fullName }) => passed.has(fullName))
      .map(({ fullName, failureMessages }) => ({ file, fullName, failure: readFirstLine(failureMessages?.[0]) }));
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
