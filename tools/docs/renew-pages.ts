import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { projectRoot } from '../run-command.ts';
import { renderAgentConfigPage } from './render-agent-config-page.ts';
import { renderCrdRulesPage } from './render-crd-rules-page.ts';
import { renderKindsPage } from './render-kinds-page.ts';

const pages: Readonly<Record<string, () => string>> = {
  'docs/reference/agent-configuration.md': renderAgentConfigPage,
  'docs/reference/crd-rules.md': renderCrdRulesPage,
  'docs/reference/kinds.md': renderKindsPage,
};

/** Writes the pages that are made from code, or, with `check`, only compares them. Returns the paths of those that were out of date. */
export async function renewPages(check: boolean): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, render] of Object.entries(pages)) {
    const file = join(projectRoot, path);
    const text = await format(render(), { ...(await resolveConfig(file)), filepath: file });
    if ((await readFile(file, 'utf8').catch(() => '')) === text) continue;
    stale.push(path);
    if (!check) await writeFile(file, text);
  }
  return stale;
}
