import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { projectRoot, resolveBin } from './run-command.ts';

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

interface CruiseResult {
  readonly modules: readonly { readonly source: string; readonly dependencies: readonly unknown[] }[];
  readonly summary: { readonly violations: readonly Violation[] };
}

const run = promisify(execFile);
const bufferBytes = 256 * 1024 * 1024;
const folders = ['core', 'kinds', 'platform', 'admission', 'operator', 'webhooks', 'agent', 'cli'];

/** The TypeScript files of the layers and programs that git knows or has not been told to ignore. */
async function listSources(): Promise<string[]> {
  const { stdout } = await run(
    'git',
    [
      'ls-files',
      '--cached',
      '--others',
      '--exclude-standard',
      '--deduplicate',
      '--',
      ...folders.map((name) => `${name}/*.ts`),
    ],
    { cwd: projectRoot, maxBuffer: bufferBytes },
  );
  return stdout.split('\n').filter((line) => line !== '');
}

const sources = await listSources();
const { stdout } = await run(
  process.execPath,
  [
    resolveBin('dependency-cruiser/bin/dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    ...sources,
  ],
  { cwd: projectRoot, maxBuffer: bufferBytes },
).catch((error: unknown) => {
  // The exit code counts violations; the report is on standard output all the same.
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' && error.stdout.startsWith('{')) {
    return { stdout: error.stdout };
  }
  throw error;
});
const result = JSON.parse(stdout) as CruiseResult;
const faults = result.summary.violations.map(
  (violation) => `${violation.rule.name}: ${violation.from} -> ${violation.to}`,
);

// A parser that cannot read TypeScript reports every file as one without imports, and so passes: most files import something.
const read = new Map(result.modules.map((module) => [module.source, module.dependencies.length]));
faults.push(...sources.filter((source) => !read.has(source)).map((source) => `not read: ${source}`));
const silent = sources.filter((source) => read.get(source) === 0).length;
if (sources.length > 20 && silent > sources.length / 2) {
  faults.push(`${silent} of ${sources.length} files seem to import nothing: the parser does not read them`);
}
for (const fault of faults) {
  console.error(fault);
}
console.log(`${sources.length} files, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
