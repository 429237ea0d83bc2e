import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../run-command.ts';

/** How a program is to be started. */
export interface Runtime {
  readonly nodeFlags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What `runtime.json` in the program's folder says; nothing where there is none. */
export function readRuntime(program: string): Runtime {
  const file = join(projectRoot, program, 'runtime.json');
  if (!existsSync(file)) return { nodeFlags: [], environment: {} };
  return JSON.parse(readFileSync(file, 'utf8')) as Runtime;
}
