import { compareCase, type StepDifference } from './compare-case.ts';
import type { DifferentialCase } from './differential-case.ts';
import { explainedClasses, type ExplainedClass } from './explained-classes.ts';
import type { NormalAnswer } from './normalize-answers.ts';
import { runCases, type PlayedCases } from './run-cases.ts';
import type { Target } from './target.ts';

/** What came of playing cases at a real server and at ours. */
export interface DifferentialReport {
  /** Requests whose answers were compared, those of a case once. */
  readonly requests: number;
  /** Of these, how many the real server refused. */
  readonly rejected: number;
  /** Unexplained differences between ours and the real one; to be empty. */
  readonly unexplained: readonly StepDifference[];
  /** How many requests were answered otherwise, by name of the class that explains it. */
  readonly explained: ReadonlyMap<string, number>;
  /** Differences between two real servers; `undefined` without a second one. */
  readonly noise: readonly StepDifference[] | undefined;
  /** What the real server answered, by case. */
  readonly real: ReadonlyMap<string, readonly NormalAnswer[]>;
}

/** The answers to a case; a text where it could not be played. */
function readPlayed(played: PlayedCases, name: string): readonly NormalAnswer[] | string {
  const answers = played.get(name);
  if (answers === undefined) return 'not played';
  return answers instanceof Error ? `${answers.message}: ${String(answers.cause)}` : answers;
}

/** The differences of a case between two servers; that one could not play it is one. */
function comparePlayed(
  given: DifferentialCase,
  real: PlayedCases,
  other: PlayedCases,
  classes: readonly ExplainedClass[],
): StepDifference[] {
  const [left, right] = [readPlayed(real, given.name), readPlayed(other, given.name)];
  const faults = [left, right].filter((answers) => typeof answers === 'string');
  if (faults.length > 0) return [{ caseName: given.name, step: 0, request: '', explained: [], texts: faults }];
  return compareCase(given, left as readonly NormalAnswer[], right as readonly NormalAnswer[], classes);
}

function selectAnswers(played: PlayedCases, name: string): readonly NormalAnswer[] {
  const answers = readPlayed(played, name);
  return typeof answers === 'string' ? [] : answers;
}

/** Plays cases at all targets at once and compares what they answer; `again` is a second real server, which shows the noise. */
export async function runDifferential(
  targets: { readonly real: Target; readonly ours: Target; readonly again?: Target },
  cases: readonly DifferentialCase[],
): Promise<DifferentialReport> {
  const [real, ours, again] = await Promise.all([
    runCases(targets.real, cases),
    runCases(targets.ours, cases),
    targets.again === undefined ? undefined : runCases(targets.again, cases),
  ]);
  const differences = cases.flatMap((given) => comparePlayed(given, real, ours, explainedClasses));
  const explained = new Map<string, number>();
  for (const name of differences.flatMap((difference) => difference.explained)) {
    explained.set(name, (explained.get(name) ?? 0) + 1);
  }
  const compared = cases.flatMap(({ name, steps }) =>
    selectAnswers(real, name).filter((_answer, i) => steps[i]?.compares !== 'nothing'),
  );
  return {
    requests: compared.length,
    rejected: compared.filter(({ status }) => status >= 400).length,
    unexplained: differences.filter((difference) => difference.explained.length === 0),
    explained,
    noise: again && cases.flatMap((given) => comparePlayed(given, real, again, [])),
    real: new Map(cases.map(({ name }) => [name, selectAnswers(real, name)])),
  };
}

/** Differences as lines of text. */
export function formatDifferences(differences: readonly StepDifference[]): string[] {
  return differences.flatMap(({ caseName, step, request, explained, texts }) => [
    [caseName, `step ${step}:`, request, ...explained].join(' '),
    ...texts.map((text) => `    ${text}`),
  ]);
}
