import { describe } from 'vitest';

import { runs } from '../cluster/cluster-skip-reason.ts';

/** `describe` for suites that ask the oracle: says in the title why it is skipped where the oracle cannot be built. */
export function describeOracle(name: string, body: () => void): void {
  const reason = runs('go', 'version') ? undefined : 'skipped: the oracle is built with Go, which is missing here';
  if (reason === undefined) describe(name, body);
  else describe.skip(`${name} (${reason})`, body);
}
