import { expect } from 'vitest';

import { quoteExpression, runUpstreamSpecs, type UpstreamRun, type UpstreamSpec } from './run-upstream-specs.ts';

/** So many failed specs are run once more, alone, as upstream does with its flakes: many at a time, some run into their own time limits. */
const mostAgain = 3;

async function runAgain(run: UpstreamRun, specs: readonly UpstreamSpec[]): Promise<UpstreamSpec[]> {
  const failed = specs.filter(({ state }) => state === 'failed');
  if (failed.length === 0 || failed.length > mostAgain) return [...specs];
  for (const { name, failure = '' } of failed) process.stdout.write(`again   ${name}\n        ${failure}\n`);
  const focus = failed.map(({ name }) => `${quoteExpression(name)}$`);
  const again = await runUpstreamSpecs({ kubeconfig: run.kubeconfig, focus, processes: 1 });
  return specs.map((spec) => again.find(({ name }) => name === spec.name) ?? spec);
}

/**
 * Runs specs of upstream's, prints how each ended, and expects that none failed and that `fewest` passed at least: a changed name must not
 * empty the run.
 */
export async function expectUpstreamSpecs(run: UpstreamRun, fewest: number): Promise<void> {
  const specs = await runAgain(run, await runUpstreamSpecs(run));
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
