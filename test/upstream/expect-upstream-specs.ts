import { expect } from 'vitest';

import { runUpstreamSpecs, type UpstreamRun, type UpstreamSpec } from './run-upstream-specs.ts';

/**
 * Runs specs of upstream's, prints how each ended, and expects that none failed and that `fewest` passed at least: a changed name must not
 * empty the run.
 */
export async function expectUpstreamSpecs(run: UpstreamRun, fewest: number): Promise<void> {
  const specs = await runUpstreamSpecs(run);
  for (const { name, state, failure } of specs) {
    process.stdout.write(`${state.padEnd(7)} ${name}${failure === undefined ? '' : `\n        ${failure}`}\n`);
  }
  const byState = (state: UpstreamSpec['state']): string[] =>
    specs.filter((spec) => spec.state === state).map(({ name }) => name);
  const counts = (['passed', 'failed', 'skipped'] as const).map((state) => `${byState(state).length} ${state}`);
  process.stdout.write(`${counts.join(', ')} of ${specs.length} specs of upstream's\n`);
  expect(byState('failed')).toEqual([]);
  expect(byState('passed').length).toBeGreaterThanOrEqual(fewest);
}
