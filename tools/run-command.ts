import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout, absolute. */
export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));

/** The file that runs a package's program under this Node, such as `binOf('vitest/vitest.mjs')`. */
export function resolveBin(path: string): string {
  return join(projectRoot, 'node_modules', path);
}

/** Runs a program from the checkout's folder with this process' streams; resolves to its exit code (1 when a signal ended it). */
export function runCommand(command: string, words: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd: projectRoot, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
