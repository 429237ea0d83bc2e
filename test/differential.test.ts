import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { allCases } from './differential/cases/all-cases.ts';
import { explainedClasses } from './differential/explained-classes.ts';
import { generateCases } from './differential/generator/generate-cases.ts';
import { listMissedRules } from './differential/generator/list-rule-hits.ts';
import { formatDifferences, runDifferential, type DifferentialReport } from './differential/run-differential.ts';
import { startOwnTarget, startRealTarget } from './differential/start-targets.ts';
import type { Target } from './differential/target.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const generatedCases = isSoak ? 650 : 65;
// A check must not fail by luck; what chance finds, the soak finds.
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Date.now() % 1_000_000 : 20_261));
const fewestRequests = 600;
const mostClasses = 10;
const fewestRejected = 0.4;

describe('what is compared with a real API server', () => {
  it('has enough requests, in cases with names of their own', () => {
    expect(allCases.flatMap(({ steps }) => steps).length).toBeGreaterThanOrEqual(fewestRequests);
    const names = allCases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9-]{0,49}$/);
  });

  it('leaves out few classes of differences, each with its rows in the list of deviations', async () => {
    expect(explainedClasses.length).toBeLessThanOrEqual(mostClasses);
    const known = explainedClasses.flatMap(({ deviations }) => deviations);
    const deviations = await readFile(join(import.meta.dirname, '../docs/deviations.md'), 'utf8');
    for (const id of known) expect(deviations).toContain(`| \`${id}\` `);
    for (const { deviation } of allCases.flatMap(({ steps }) => steps)) {
      if (deviation !== undefined) expect(known).toContain(deviation);
    }
  });
});

describeCluster('the running service and a real API server, given the same requests', () => {
  let real: Target;
  let ours: Target;
  let chosen: DifferentialReport;
  let generated: DifferentialReport;

  beforeAll(async () => {
    [real, ours] = await Promise.all([startRealTarget('real'), startOwnTarget('ours')]);
    chosen = await runDifferential({ real, ours }, allCases);
    generated = await runDifferential({ real, ours }, generateCases(seed, generatedCases));
  });
  afterAll(async () => {
    await Promise.all([real?.stop(), ours?.stop()]);
  });

  it.for(allCases.map(({ name }) => name))('%s', (name) => {
    const differences = chosen.unexplained.filter(({ caseName }) => caseName === name);
    expect(formatDifferences(differences).join('\n')).toBe('');
  });

  it(`answers generated requests alike (seed ${seed})`, () => {
    expect(formatDifferences(generated.unexplained).join('\n')).toBe('');
    expect(generated.rejected / generated.requests).toBeGreaterThanOrEqual(fewestRejected);
  });

  it.runIf(isSoak)('breaks every rule of the nine kinds', () => {
    expect(listMissedRules(generated.real.values()).missed).toEqual([]);
  });
});
