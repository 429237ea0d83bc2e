import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { listWavering, planSecondRun, replaceFiles } from './plan-second-run.ts';
import { projectRoot, resolveBin, runCommand } from './run-command.ts';
import { checkSpecCoverage } from './spec-coverage.ts';
import { unhandledErrorsFileVariable } from './unhandled-errors-reporter.ts';
import type { TestReport } from './vitest-report.ts';

/** Prints what could not run here, suite by suite, and what did not load; returns the counts of the closing line. */
function countResults(report: TestReport): { failed: number; skipped: number } {
  const suites = new Map<string, number>();
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status !== 'passed' && test.status !== 'failed') {
        const suite = `${relative(projectRoot, file.name)}: ${test.ancestorTitles[0] ?? test.fullName}`;
        suites.set(suite, (suites.get(suite) ?? 0) + 1);
      }
    }
  }
  let skipped = 0;
  for (const [suite, count] of suites) {
    console.log(`skipped, ${count} tests: ${suite}`);
    skipped += count;
  }
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  for (const file of unloaded) {
    console.log(`did not load: ${relative(projectRoot, file.name)}`);
  }
  return { failed: report.numFailedTests + unloaded.length, skipped };
}

/** What the tests gave, how many errors no test caught, and whether vitest itself was content. */
interface Run {
  readonly report: TestReport;
  readonly unhandledErrors: number;
  readonly isContent: boolean;
}

async function runTests(folder: string, words: readonly string[]): Promise<Run> {
  const file = join(folder, 'report.json');
  process.env[unhandledErrorsFileVariable] = join(folder, 'unhandled-errors');
  const counter = join(projectRoot, 'tools/unhandled-errors-reporter.ts');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`, `--reporter=${counter}`];
  const code = await runCommand(process.execPath, [resolveBin('vitest/vitest.mjs'), 'run', ...reporters, ...words]);
  return {
    report: JSON.parse(await readFile(file, 'utf8')) as TestReport,
    unhandledErrors: Number(await readFile(join(folder, 'unhandled-errors'), 'utf8')),
    isContent: code === 0,
  };
}

/** Runs suites again, by themselves, that failed beside others; those that pass then are named. */
async function runAgain(folder: string, first: Run): Promise<Run> {
  const files = planSecondRun(first.report, first.unhandledErrors, projectRoot);
  if (files.length === 0) return first;
  console.log(`${files.length} suites that failed are run again, by themselves`);
  const second = await runTests(folder, ['--no-file-parallelism', ...files]);
  for (const { file, fullName, failure } of listWavering(first.report, second.report, projectRoot)) {
    console.log(`wavered: ${file}: ${fullName ?? 'outside its tests'}: ${failure}`);
  }
  return { ...second, report: replaceFiles(first.report, second.report) };
}

const words = process.argv.slice(2);
const soak = words.includes('--soak');
const updateCoverage = words.includes('--update-coverage');
const passedOn = words.filter((word) => word !== '--soak' && word !== '--update-coverage');
if (soak) {
  process.env['BAILIWICK_SOAK'] = '1';
}
const folder = await mkdtemp(join(tmpdir(), 'bailiwick-report-'));
try {
  const first = await runTests(folder, passedOn);
  const isFull = passedOn.length === 0;
  const { report, isContent } = isFull && !soak ? await runAgain(folder, first) : first;
  const { failed, skipped } = countResults(report);
  // Only a full run can tell whether every claim about the specification holds.
  const faults = isFull ? await checkSpecCoverage(report, updateCoverage) : [];
  for (const fault of faults) {
    console.log(`spec coverage: ${fault}`);
  }
  console.log(`${report.numPassedTests} passed, ${failed + faults.length} failed, ${skipped} skipped`);
  process.exitCode = failed + faults.length > 0 || !isContent ? 1 : 0;
} finally {
  await rm(folder, { recursive: true, force: true });
}
