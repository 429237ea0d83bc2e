import { describe } from 'vitest';

import { containerd16SkipReason, criuSkipReason, runtimeSkipReason } from '../cluster/node-skip-reason.ts';

/** What a suite needs besides a container runtime. */
export interface DescribeRuntimeOptions {
  /** It has Debian's old containerd too. */
  readonly oldContainerd?: boolean;
  /** Set false when it dumps no container. */
  readonly checkpoints?: boolean;
}

/** `describe` for a suite that starts container runtimes (`startRuntime`); its name says why where it is skipped. */
export function describeRuntime(name: string, body: () => void, options: DescribeRuntimeOptions = {}): void {
  const reason =
    runtimeSkipReason() ??
    (options.checkpoints === false ? undefined : criuSkipReason()) ??
    (options.oldContainerd ? containerd16SkipReason() : undefined);
  if (reason === undefined) describe(name, body);
  else describe.skip(`${name} (${reason})`, body);
}
