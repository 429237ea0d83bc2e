import { compareCase, type StepDifference } from './compare-case.ts';
import type { DifferentialCase } from './differential-case.ts';
import { explainedClasses, type ExplainedClass } from './explained-classes.ts';
import { findWavering, renameCase } from './find-wavering.ts';
import type { NormalAnswer } from './normalize-answers.ts';
import { runCases, type PlayedCases } from './run-cases.ts';
import type { Target } from './target.ts';

const mostReplayed = 20;

/** What came of playing cases at a real server and at ours. */
export interface DifferentialReport {
  /** Requests whose answers were compared, those of a case once. */
  readonly requests: number;
  /** Of these, how many the real server refused. */
  readonly rejected: number;
  /** Unexplained differences between ours and the real one; to be empty. */
  readonly unexplained: readonly StepDifference[];
  /** Differences that the real server made by answering otherwise when it was asked again. */
  readonly wavering: readonly StepDifference[];
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

/** Plays cases with unexplained differences again; those differences that the real server made by chance. */
async function listWavering(
  targets: { readonly real: Target; readonly ours: Target },
  cases: readonly DifferentialCase[],
  unexplained: readonly StepDifference[],
  first: { readonly real: PlayedCases; readonly ours: PlayedCases },
): Promise<StepDifference[]> {
  const names = new Set(unexplained.map(({ caseName }) => caseName));
  // Many are no chance.
  if (names.size === 0 || names.size > mostReplayed) return [];
  const doubtful = cases.filter(({ name }) => names.has(name));
  const renamed = doubtful.map(renameCase);
  const [real, ours] = await Promise.all([runCases(targets.real, renamed), runCases(targets.ours, renamed)]);
  return doubtful.flatMap((given) => {
    const again = renameCase(given).name;
    const answers = [selectAnswers(real, again), selectAnswers(ours, again)] as const;
    const before = [selectAnswers(first.real, given.name), selectAnswers(first.ours, given.name)] as const;
    if ([...answers, ...before].some(({ length }) => length !== given.steps.length)) return [];
    const own = unexplained.filter(({ caseName }) => caseName === given.name);
    return findWavering(given, own, { real: before[0], ours: before[1] }, { real: answers[0], ours: answers[1] });
  });
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
  const unexplained = differences.filter((difference) => difference.explained.length === 0);
  const wavering = await listWavering(targets, cases, unexplained, { real, ours });
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
    unexplained: unexplained.filter((difference) => !wavering.includes(difference)),
    wavering,
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
