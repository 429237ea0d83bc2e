import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

import type { NodeCluster } from '../cluster/node-cluster.ts';

/** Where commands are run. */
export interface CommandPlace {
  /** The working folder. */
  readonly folder: string;
  /** Folders of programs, with colons between them; they come before all others. */
  readonly path: string;
  readonly cluster: Pick<NodeCluster, 'folder' | 'kubeconfig'>;
}

/** Runs commands as a person in a clone does, in bash, and resolves to all output; throws with it when one fails. */
export function runCommands(commands: string, { folder, path, cluster }: CommandPlace): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: folder,
      env: {
        ...process.env,
        ...{ PATH: `${path}:${dirname(process.execPath)}:${process.env['PATH']}`, HOME: cluster.folder },
        KUBECONFIG: cluster.kubeconfig,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    }
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${commands}\n${output}`))));
  });
}
