import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { projectRoot, resolveBin, runCommand } from './run-command.ts';
import { checkSpecCoverage } from './spec-coverage.ts';
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

const words = process.argv.slice(2);
const soak = words.includes('--soak');
const updateCoverage = words.includes('--update-coverage');
const passedOn = words.filter((word) => word !== '--soak' && word !== '--update-coverage');
if (soak) {
  process.env['BAILIWICK_SOAK'] = '1';
}
const folder = await mkdtemp(join(tmpdir(), 'bailiwick-report-'));
const file = join(folder, 'report.json');
try {
  const code = await runCommand(process.execPath, [
    resolveBin('vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...passedOn,
  ]);
  const report = JSON.parse(await readFile(file, 'utf8')) as TestReport;
  const { failed, skipped } = countResults(report);
  // Only a full run can tell whether every claim about the specification holds.
  const faults = passedOn.length === 0 ? await checkSpecCoverage(report, updateCoverage) : [];
  for (const fault of faults) {
    console.log(`spec coverage: ${fault}`);
  }
  console.log(`${report.numPassedTests} passed, ${failed + faults.length} failed, ${skipped} skipped`);
  process.exitCode = failed + faults.length > 0 || code !== 0 ? 1 : 0;
} finally {
  await rm(folder, { recursive: true, force: true });
}
