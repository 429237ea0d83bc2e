import type { NormalAnswer } from '../normalize-answers.ts';

/** Whether one server stored the very object that the other one refused: by the kind and the name that the refusal tells. */
export function isAcceptance(answer: NormalAnswer, refusal: NormalAnswer): boolean {
  const details = refusal.body?.details;
  return (
    (answer.status === 200 || answer.status === 201) &&
    details?.kind !== undefined &&
    answer.body?.kind === details.kind &&
    answer.body.metadata?.name === details.name
  );
}
