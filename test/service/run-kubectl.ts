import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** Why suites that need kubectl cannot run here; `undefined` when they can. */
export function findKubectlSkipReason(): string | undefined {
  return spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0
    ? undefined
    : 'no kubectl on this machine';
}

/** What a run of kubectl printed. */
export interface KubectlResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A kubectl bound to one kubeconfig, with a discovery cache of its own. */
export interface Kubectl {
  run(words: readonly string[], input?: string): Promise<KubectlResult>;
  /** Starts one that goes on, such as `get -w`; the caller ends it. */
  start(words: readonly string[]): ChildProcess;
}

/** Binds kubectl to a kubeconfig; `cacheDir` keeps what it discovers. */
export function bindKubectl(kubeconfig: string, cacheDir: string): Kubectl {
  const fixed = ['--kubeconfig', kubeconfig, '--cache-dir', cacheDir];
  return {
    start: (words) => spawn('kubectl', [...fixed, ...words], { stdio: ['ignore', 'pipe', 'pipe'] }),
    run: (words, input) =>
      new Promise((resolve, reject) => {
        const child = spawn('kubectl', [...fixed, ...words], {
          stdio: ['pipe', 'pipe', 'pipe'],
          env: { ...process.env, KUBECTL_EXTERNAL_DIFF: 'diff -u' },
        });
        let stdout = '';
        let stderr = '';
        child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
        child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
        child.on('error', reject);
        child.on('close', (code) => resolve({ code, stdout, stderr }));
        child.stdin.end(input);
      }),
  };
}
