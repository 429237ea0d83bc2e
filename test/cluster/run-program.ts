import { spawn } from 'node:child_process';

/** How to run a program to its end. */
export interface RunProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a program and resolves to its standard output; throws with the end of its standard error when it fails or cannot start. */
export function runProgram(
  command: string,
  words: readonly string[],
  options: RunProgramOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-4000);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(output).toString());
      else reject(new Error(`${command} ${words[0] ?? ''} ended with ${signal ?? code}: ${errors}`));
    });
    // A program that ends without reading its input is no failure of ours.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}
