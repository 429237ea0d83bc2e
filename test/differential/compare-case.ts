import { isDeepStrictEqual } from 'node:util';

import type { DifferentialCase, DifferentialStep } from './differential-case.ts';
import { explainedClasses, type ExplainedClass } from './explained-classes.ts';
import type { AnswerPair } from './levels/change-body.ts';
import { dropPath, listDifferences, type ValueDifference } from './list-differences.ts';
import type { NormalAnswer } from './normalize-answers.ts';

/** A step that two servers answered in different ways. */
export interface StepDifference {
  readonly caseName: string;
  /** From 1. */
  readonly step: number;
  /** Method, path and the beginning of the body. */
  readonly request: string;
  /** Names of the classes that explain it; empty when none does. */
  readonly explained: readonly string[];
  /** One text a place. */
  readonly texts: readonly string[];
}

const shownCharacters = 500;
const shownPlaces = 6;
const shownBefore = 60;

function selectCompared(answer: NormalAnswer, step: DifferentialStep): NormalAnswer {
  if (step.compares === 'status') return { status: answer.status, headers: {}, body: undefined };
  const paths = step.ignores ?? [];
  return { ...answer, body: paths.reduce((body, path) => dropPath(body, path.split('.')), answer.body) };
}

/** Names of the classes without whose differences the answers are the same; `undefined` when something is left. */
function explainPair(
  pair: AnswerPair,
  step: DifferentialStep,
  before: readonly DifferentialStep[],
  classes: readonly ExplainedClass[],
): string[] | undefined {
  const names: string[] = [];
  let [real, ours] = pair;
  for (const { name, level } of classes) {
    const count = listDifferences(real, ours).length;
    [real, ours] = level([real, ours], step, before);
    if (listDifferences(real, ours).length < count) names.push(name);
    if (isDeepStrictEqual(real, ours)) return names;
  }
  return undefined;
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

/** Both values, without what is the same in both: the beginning of texts, items of lists. */
function showDifference({ path, real, ours }: ValueDifference): string {
  if (typeof real === 'string' && typeof ours === 'string') {
    const same = [...real].findIndex((character, i) => character !== ours[i]);
    const from = Math.max(0, (same === -1 ? real.length : same) - shownBefore);
    return `${path}: …${show(ours.slice(from))} instead of …${show(real.slice(from))}`;
  }
  if (Array.isArray(real) && Array.isArray(ours)) {
    return `${path}: more ${show(subtractItems(ours, real))}, missing ${show(subtractItems(real, ours))}`;
  }
  return `${path}: ${show(ours)} instead of ${show(real)}`;
}

function formatRequest({ method, path, body }: DifferentialStep): string {
  return `${method} ${path}${body === undefined || typeof body === 'function' ? '' : ` ${show(body)}`}`;
}

function subtractItems(from: readonly unknown[], items: readonly unknown[]): unknown[] {
  const left = items.map((item) => JSON.stringify(item));
  return from.filter((item) => {
    const at = left.indexOf(JSON.stringify(item));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/**
 * The steps of a case that the real server and ours answered in different ways. A step that names a deviation and does not differ is one
 * as well, unexplained. `classes`: empty to have every difference unexplained.
 */
export function compareCase(
  { name, steps }: DifferentialCase,
  realAnswers: readonly NormalAnswer[],
  ourAnswers: readonly NormalAnswer[],
  classes: readonly ExplainedClass[] = explainedClasses,
): StepDifference[] {
  return steps.flatMap((step, i): StepDifference[] => {
    if (step.compares === 'nothing') return [];
    const real = selectCompared(realAnswers[i] as NormalAnswer, step);
    const ours = selectCompared(ourAnswers[i] as NormalAnswer, step);
    const place = { caseName: name, step: i + 1, request: formatRequest(step) };
    if (isDeepStrictEqual(real, ours)) {
      if (step.deviation === undefined || classes.length === 0) return [];
      return [{ ...place, explained: [], texts: [`no longer differs, in spite of ${step.deviation}`] }];
    }
    const found = explainPair([real, ours], step, steps.slice(0, i + 1), classes) ?? [];
    const isNamed = classes.some(
      ({ name: known, deviations }) => deviations.includes(step.deviation ?? '') && found.includes(known),
    );
    const explained = step.deviation === undefined || isNamed ? found : [];
    const texts = listDifferences(real, ours).slice(0, shownPlaces).map(showDifference);
    return [{ ...place, explained, texts }];
  });
}
