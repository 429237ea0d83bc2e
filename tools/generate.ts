import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { renewCrds } from './crds/renew-crds.ts';
import { renewPages } from './docs/renew-pages.ts';
import { projectRoot, runCommand } from './run-command.ts';

/** Contents of the generated files, by path within the checkout. */
async function readGenerated(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const path of glob('kinds/workloads/**/*.generated.*', { cwd: projectRoot })) {
    found.set(path, await readFile(join(projectRoot, path), 'utf8'));
  }
  return found;
}

const check = process.argv.includes('--check');
const staleFiles = [...(await renewCrds(check)), ...(await renewPages(check))];
for (const path of staleFiles) {
  console.log(`${check ? 'out of date' : 'renewed'}: ${path}`);
}
const filesFailed = check && staleFiles.length > 0;
// Loaded late: what follows is the part of this that needs the rig.
const reason = await import('../test/cluster/cluster-skip-reason.ts').then((module) => module.clusterSkipReason());
if (reason !== undefined) {
  console.log(`the schemas of the workload kinds and the conformance tests are left as they are: ${reason}`);
  process.exitCode = filesFailed ? 1 : 0;
} else {
  const before = await readGenerated();
  const { renewConformancePage } = await import('../test/cel/renew-conformance-page.ts');
  const stalePages = await renewConformancePage(check);
  for (const path of stalePages) {
    console.log(`${check ? 'out of date' : 'renewed'}: ${path}`);
  }
  const code = await runCommand(process.execPath, ['tools/schemas/main.ts']);
  const after = await readGenerated();
  const changed = [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
  for (const path of changed) {
    console.log(`${check ? 'out of date' : 'renewed'}: ${path}`);
  }
  if (check) {
    for (const [path, text] of before) {
      await writeFile(join(projectRoot, path), text);
    }
  }
  process.exitCode = code !== 0 || filesFailed || (check && changed.length + stalePages.length > 0) ? 1 : 0;
}
