import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { buildKubernetesProgram } from '../cluster/build-control-plane.ts';

/** A `kubectl drain` that goes on. */
export interface Drain {
  /** What it printed so far, errors among it. */
  readOutput(): string;
  /** Resolves to its exit code. */
  readonly ended: Promise<number | null>;
  /** Ends it, unless it has. */
  stop(): Promise<void>;
}

/** Drains a node of the pods that a label selector selects, until the time is over. */
export async function startDrain(
  kubeconfig: string,
  node: string,
  podSelector: string,
  timeoutSeconds: number,
): Promise<Drain> {
  const kubectl = await buildKubernetesProgram('kubectl');
  const words = ['--kubeconfig', kubeconfig, 'drain', node, '--pod-selector', podSelector];
  const child = spawn(kubectl, [...words, `--timeout=${timeoutSeconds}s`], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const closed = once(child, 'close');
  return {
    readOutput: () => output,
    ended: closed.then(() => child.exitCode),
    async stop() {
      child.kill();
      await closed;
    },
  };
}
