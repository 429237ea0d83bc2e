// Fills the compile cache with modules that programs load late, under the flags of their program: compiled code is kept by flags.
// Usage: node tools/image/warm-compile-cache.ts PROGRAM-FOLDER MODULE ...    A module is a path in the project.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { projectRoot } from '../run-command.ts';
import { readRuntime } from './read-runtime.ts';

const [program = '', ...modules] = process.argv.slice(2);
const statements = modules.map(
  (path) => `await import(${JSON.stringify(pathToFileURL(join(projectRoot, path)).href)});`,
);
const words = [...readRuntime(program).nodeFlags, '--input-type=module', '--eval', statements.join('\n')];
const { status } = spawnSync(process.execPath, words, { cwd: projectRoot, stdio: 'inherit' });
process.exitCode = status ?? 1;
