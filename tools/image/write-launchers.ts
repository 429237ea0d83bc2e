// Writes what starts a program in the image: a command with the flags and the environment that `runtime.json` in the program's folder names.
// Usage: node tools/image/write-launchers.ts TARGET-FOLDER PROGRAM ...    A program is a folder, or NAME=FOLDER.
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { projectRoot } from '../run-command.ts';
import { readRuntime, type Runtime } from './read-runtime.ts';

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function formatLauncher(program: string, { nodeFlags, environment }: Runtime): string {
  const settings = Object.entries(environment).map(([name, value]) => `export ${name}="\${${name}-${value}}"`);
  const words = [...nodeFlags, join(projectRoot, program, 'main.ts')].map(quoteWord);
  return ['#!/bin/sh', ...settings, `exec node ${words.join(' ')} "$@"`, ''].join('\n');
}

const [target = '', ...programs] = process.argv.slice(2);
await mkdir(target, { recursive: true });
for (const program of programs) {
  const [name = '', folder = name] = program.split('=');
  await writeFile(join(target, basename(name)), formatLauncher(folder, readRuntime(folder)), { mode: 0o755 });
}
