import { readFile, writeFile } from 'node:fs/promises';

import { format, resolveConfig } from 'prettier';

import { judgeConformanceTest, type ConformanceVerdict } from './judge-conformance-test.ts';
import { readConformanceTests } from './read-conformance-tests.ts';
import { renderConformancePage } from './render-conformance-page.ts';

const page = new URL('../../docs/reference/cel-conformance.md', import.meta.url);

/** Writes the page of the conformance tests, or, with `check`, only compares it. Returns the path when it was out of date. */
export async function renewConformancePage(
  check: boolean,
  verdicts?: readonly ConformanceVerdict[],
): Promise<string[]> {
  const judged = verdicts ?? (await readConformanceTests()).map(judgeConformanceTest);
  const filepath = page.pathname;
  const text = await format(renderConformancePage(judged), { ...(await resolveConfig(filepath)), filepath });
  if ((await readFile(page, 'utf8').catch(() => '')) === text) return [];
  if (!check) await writeFile(page, text);
  return ['docs/reference/cel-conformance.md'];
}
