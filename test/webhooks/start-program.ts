import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** One of the product's programs in a process of its own. */
export interface Program {
  readonly process: ChildProcess;
  /** What followed the word `ready`. */
  readonly url: string;
  /** The last of what it printed on standard error. */
  readLog(): string;
  /** Ends it by a signal and waits; resolves to the exit code, null after a kill. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

interface Runtime {
  readonly nodeFlags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts `folder/main.ts` as its image does, and waits for its line `ready URL`. Throws with its log when it ends before. */
export async function startProgram(folder: 'operator' | 'webhooks', flags: readonly string[]): Promise<Program> {
  const runtime = JSON.parse(await readFile(join(projectRoot, folder, 'runtime.json'), 'utf8')) as Runtime;
  const child = spawn(process.execPath, [...runtime.nodeFlags, join(projectRoot, folder, 'main.ts'), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...runtime.environment },
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString('utf8')).slice(-500_000)));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const url = await Promise.race([
    new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        if (line.startsWith('ready ')) resolve(line.slice('ready '.length));
      });
    }),
    exited.then(() => {
      throw new Error(`${folder} ended before it was ready:\n${log}`);
    }),
  ]);
  return {
    process: child,
    url,
    readLog: () => log,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
}
