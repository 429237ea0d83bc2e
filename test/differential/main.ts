import { parseArgs } from 'node:util';

import { allCases } from './cases/all-cases.ts';
import { compareCase, type StepDifference } from './compare-case.ts';
import { runCases, type PlayedCases } from './run-cases.ts';
import { startOwnTarget, startRealTarget } from './start-targets.ts';

const { values } = parseArgs({ options: { noise: { type: 'boolean', default: false }, only: { type: 'string' } } });
const only = values.only === undefined ? undefined : new RegExp(values.only);
const cases = allCases.filter(({ name }) => only === undefined || only.test(name));

const starting = await Promise.all([
  startRealTarget('real'),
  startOwnTarget('ours'),
  ...(values.noise ? [startRealTarget('real again')] : []),
]);
try {
  const [real, ours, again] = await Promise.all(starting.map((target) => runCases(target, cases)));
  const find = (left: PlayedCases | undefined, right: PlayedCases | undefined): StepDifference[] =>
    cases.flatMap((given) => {
      const [a, b] = [left?.get(given.name), right?.get(given.name)];
      if (a instanceof Error) throw a;
      if (b instanceof Error) throw b;
      return a === undefined || b === undefined ? [] : compareCase(given, a, b);
    });
  const print = (title: string, differences: readonly StepDifference[]): void => {
    console.log(`${title}: ${differences.length}`);
    for (const { caseName, step, request, explained, texts } of differences) {
      console.log(`  ${caseName} ${step}: ${request} ${explained.join(' ')}`);
      for (const text of texts) console.log(`    ${text}`);
    }
  };
  if (again !== undefined) print('real against real', find(real, again));
  print('ours against real', find(real, ours));
} finally {
  await Promise.all(starting.map((target) => target.stop()));
}
