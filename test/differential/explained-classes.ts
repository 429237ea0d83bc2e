import type { DifferentialStep } from './differential-case.ts';
import type { NormalAnswer } from './normalize-answers.ts';

/** The answers of a real server and of ours to one request. */
export type AnswerPair = readonly [real: NormalAnswer, ours: NormalAnswer];

/** A way in which our answers differ from Kubernetes' on purpose. */
export interface ExplainedClass {
  /** Its row in docs/deviations.md, which has the reason. */
  readonly id: string;
  /** The pair without the differences that this class explains; absent: only steps that name it differ so. */
  level?(pair: AnswerPair, step: DifferentialStep): AnswerPair;
}

/** Causes and the parts of the message in one order. */
function sortFaults(answer: NormalAnswer): NormalAnswer {
  const { body } = answer;
  const causes = body?.details?.causes;
  if (body?.kind !== 'Status' || !Array.isArray(causes)) return answer;
  const sorted = causes.map((cause) => JSON.stringify(cause)).toSorted();
  const words = String(body.message)
    .split(/[[\], ]+/)
    .toSorted();
  return { ...answer, body: { ...body, message: words, details: { ...body.details, causes: sorted } } };
}

/** Every class of differences that is known and wanted, ten at most. */
export const explainedClasses: readonly ExplainedClass[] = [
  { id: 'quoted-maps', level: ([real, ours]) => [sortFaults(real), sortFaults(ours)] },
];
