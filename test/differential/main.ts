import { parseArgs } from 'node:util';

import { allCases } from './cases/all-cases.ts';
import { explainedClasses } from './explained-classes.ts';
import { generateCases } from './generator/generate-cases.ts';
import { listMissedRules } from './generator/list-rule-hits.ts';
import { formatDifferences, runDifferential, type DifferentialReport } from './run-differential.ts';
import { startOwnTarget, startRealTarget } from './start-targets.ts';

const { values } = parseArgs({
  options: {
    /** A regular expression for names of cases. */
    only: { type: 'string' },
    /** How many cases to generate. */
    generated: { type: 'string', default: '650' },
    seed: { type: 'string' },
    /** Whether a second real server shows what differs by chance. */
    noise: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? process.env['BAILIWICK_SEED'] ?? Date.now() % 1_000_000);
const shownRules = 20;
const only = new RegExp(values.only ?? '');

function print(title: string, report: DifferentialReport): void {
  const { requests, rejected, unexplained, wavering, explained, noise } = report;
  const share = requests === 0 ? 0 : Math.round((100 * rejected) / requests);
  console.log(`${title}: ${requests} requests, ${rejected} of them refused (${share} %)`);
  if (noise !== undefined) {
    console.log(`  two real servers differ in ${noise.length}`);
    for (const line of formatDifferences(noise)) console.log(`    ${line}`);
  }
  for (const { name, reason, deviations } of explainedClasses) {
    const count = explained.get(name) ?? 0;
    if (count > 0) console.log(`  explained by ${name}: ${count}. ${reason} (${deviations.join(', ')})`);
  }
  if (wavering.length > 0) console.log(`  the real one answered otherwise when asked again: ${wavering.length}`);
  for (const line of formatDifferences(wavering)) console.log(`    ${line}`);
  console.log(`  unexplained: ${unexplained.length}`);
  for (const line of formatDifferences(unexplained)) console.log(`    ${line}`);
}

const generated = generateCases(seed, Number(values.generated)).filter(({ name }) => only.test(name));
const [real, ours, again] = await Promise.all([
  startRealTarget('real'),
  startOwnTarget('ours'),
  ...(values.noise ? [startRealTarget('real again')] : []),
]);
const targets = { real, ours, ...(again === undefined ? {} : { again }) };
try {
  const chosen = await runDifferential(
    targets,
    allCases.filter(({ name }) => only.test(name)),
  );
  print('hand-chosen', chosen);
  const made = await runDifferential(targets, generated);
  print(`generated (seed ${seed})`, made);
  const { rules, missed } = listMissedRules(made.real.values());
  console.log(
    `  rules broken: ${rules - missed.length} of ${rules}${missed
      .slice(0, shownRules)
      .map((rule) => `\n    not ${rule}`)
      .join('')}`,
  );
  if (chosen.unexplained.length + made.unexplained.length > 0) process.exitCode = 1;
} finally {
  await Promise.all([real, ours, ...(again === undefined ? [] : [again])].map((target) => target.stop()));
}
