import { describe } from 'vitest';

import { clusterSkipReason } from './cluster-skip-reason.ts';

/** `describe` for a suite that needs a real control plane; its name says why where it is skipped. */
export function describeCluster(name: string, body: () => void): void {
  const reason = clusterSkipReason();
  if (reason === undefined) describe(name, body);
  else describe.skip(`${name} (${reason})`, body);
}
