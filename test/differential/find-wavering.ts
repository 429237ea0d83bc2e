import { compareCase, type StepDifference } from './compare-case.ts';
import type { DifferentialCase } from './differential-case.ts';
import type { NormalAnswer } from './normalize-answers.ts';

/** What the two servers answered to a case. */
export interface CaseAnswers {
  readonly real: readonly NormalAnswer[];
  readonly ours: readonly NormalAnswer[];
}

const suffix = '-again';

/** The case under another name, so that nothing of its first run is in its way. */
export function renameCase(given: DifferentialCase): DifferentialCase {
  return { ...given, name: `${given.name}${suffix}` };
}

/** Answers as JSON gives them back, with the name of the case as it was. */
function restoreName(answers: readonly NormalAnswer[], name: string): NormalAnswer[] {
  return JSON.parse(JSON.stringify(answers).replaceAll(`${name}${suffix}`, name)) as NormalAnswer[];
}

/**
 * Those of the differences that the real server alone made, by answering otherwise the second time: as ours did, which answered alike both
 * times. It acts on what its informers have seen, so how busy the machine is decides what it admits.
 */
export function findWavering(
  given: DifferentialCase,
  differences: readonly StepDifference[],
  first: CaseAnswers,
  again: CaseAnswers,
): StepDifference[] {
  const { name } = given;
  const listSteps = (left: readonly NormalAnswer[], right: readonly NormalAnswer[]): Set<number> =>
    new Set(compareCase(given, restoreName(left, name), restoreName(right, name), []).map(({ step }) => step));
  const real = listSteps(first.real, again.real);
  const ours = listSteps(first.ours, again.ours);
  const left = listSteps(again.real, again.ours);
  return differences.filter(({ step }) => real.has(step) && !ours.has(step) && !left.has(step));
}
