import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { claims } from '../test/spec/claims.ts';
import type { Claim } from '../test/spec/claims/claim.ts';
import rows from '../test/spec/rows.json' with { type: 'json' };
import { projectRoot } from './run-command.ts';
import type { TestReport } from './vitest-report.ts';

const documentFile = join(projectRoot, 'docs/reference/spec-coverage.md');

interface CoveredRow {
  readonly section: string;
  readonly text: string;
  readonly verdict: string;
  readonly fault?: string;
}

function findClaim(id: string): Claim | undefined {
  return claims.find((claim) => claim.rows.test(id));
}

/** Files whose tests match, and whether any of them ran and passed. */
function findTests(report: TestReport, pattern: RegExp): { files: string[]; passed: boolean; skipped: boolean } {
  const files = new Set<string>();
  let passed = false;
  let skipped = false;
  for (const file of report.testResults) {
    const name = relative(projectRoot, file.name);
    for (const test of file.assertionResults) {
      if (pattern.test(`${name} ${test.fullName}`)) {
        files.add(name);
        passed ||= test.status === 'passed';
        skipped ||= test.status !== 'passed' && test.status !== 'failed';
      }
    }
  }
  return { files: [...files].sort(), passed, skipped };
}

function coverRow(
  row: { readonly id: string; readonly section: string; readonly text: string },
  report: TestReport,
): CoveredRow {
  const claim = findClaim(row.id);
  const place = { section: row.section, text: row.text };
  if (!claim) {
    return { ...place, verdict: '', fault: `${row.id}: neither tested nor given to a part` };
  }
  if (claim.part !== undefined && claim.tests === undefined) {
    return { ...place, verdict: claim.part };
  }
  const pattern = claim.tests ?? new RegExp(row.id.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`) + String.raw`\]`);
  const { files, passed, skipped } = findTests(report, pattern);
  const rest = claim.part === undefined ? '' : `; the rest: ${claim.part}`;
  const verdict = `${files.map((file) => `\`${file}\``).join(', ')}${rest}`;
  return passed || skipped
    ? { ...place, verdict }
    : { ...place, verdict, fault: `${row.id}: claimed as tested, but no test passed that matches ${String(pattern)}` };
}

function renderDocument(covered: readonly CoveredRow[]): string {
  const lines = [
    '# Coverage of the specification',
    '',
    'Made from the results of a full `npm test`: each statement of the specification, and the tests that hold it, or the part of the',
    'project that it belongs to. `npm test` fails when a statement is claimed and not tested, and when this page is out of date.',
  ];
  let section = '';
  for (const row of covered) {
    if (row.section !== section) {
      section = row.section;
      lines.push('', `## ${section.replaceAll('/', ': ')}`, '', '| statement | held by |', '| --- | --- |');
    }
    lines.push(`| ${row.text.replaceAll('|', String.raw`\|`)} | ${row.verdict} |`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Holds the claims about the specification against the results of a full run. Returns the faults; with `update` the page is
 * rewritten instead of compared.
 */
export async function checkSpecCoverage(report: TestReport, update: boolean): Promise<string[]> {
  const covered = rows.map((row) => coverRow(row, report));
  const faults = covered.flatMap((row) => row.fault ?? []);
  const document = renderDocument(covered);
  if (update) {
    await writeFile(documentFile, document);
  } else if ((await readFile(documentFile, 'utf8').catch(() => '')) !== document) {
    faults.push('docs/reference/spec-coverage.md is out of date: run npm test -- --update-coverage');
  }
  return faults;
}
