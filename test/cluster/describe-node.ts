import { describe } from 'vitest';

import { criuSkipReason, imageSkipReason, nodeSkipReason } from './node-skip-reason.ts';

/** What a suite needs besides a cluster with a real node. */
export interface DescribeNodeOptions {
  /** It builds images from a Dockerfile. */
  readonly images?: boolean;
  /** It checkpoints containers. */
  readonly checkpoints?: boolean;
}

/** `describe` for a suite that needs a cluster with a real node; its name says why where it is skipped. */
export function describeNode(name: string, body: () => void, options: DescribeNodeOptions = {}): void {
  const reason =
    nodeSkipReason() ??
    (options.images ? imageSkipReason() : undefined) ??
    (options.checkpoints ? criuSkipReason() : undefined);
  if (reason === undefined) describe(name, body);
  else describe.skip(`${name} (${reason})`, body);
}
