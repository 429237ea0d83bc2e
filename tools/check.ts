import { performance } from 'node:perf_hooks';

import { resolveBin, runCommand } from './run-command.ts';

interface Step {
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
}

const node = process.execPath;

const steps: readonly Step[] = [
  {
    name: 'format',
    command: node,
    words: [resolveBin('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.'],
  },
  { name: 'types', command: node, words: [resolveBin('typescript/bin/tsc'), '-p', '.'] },
  {
    name: 'lint',
    command: node,
    words: [resolveBin('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings', '--quiet'],
  },
  { name: 'import boundaries', command: node, words: ['tools/check-boundaries.ts'] },
  { name: 'generated files', command: node, words: ['tools/generate.ts', '--check'] },
  { name: 'dead code', command: node, words: [resolveBin('knip/bin/knip.js')] },
  { name: 'unit tests', command: node, words: ['tools/test.ts', '--project', 'unit'] },
];

const failed: string[] = [];
for (const step of steps) {
  const startMillis = performance.now();
  const code = await runCommand(step.command, step.words);
  const seconds = ((performance.now() - startMillis) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)`);
  if (code !== 0) {
    failed.push(step.name);
  }
}
if (failed.length > 0) {
  console.log(`check failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
