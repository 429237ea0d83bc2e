import type { DifferentialStep } from '../differential-case.ts';
import { changeBodies, changeQuoted, changeTexts, type AnswerPair, type Json } from './change-body.ts';

function levelQuoted(body: Json): Json {
  return changeTexts(body, (text) => changeQuoted(text, (object) => object).replaceAll('[]', 'null'));
}

/** Whether a write up to this one sent what is gone once an object has been stored. */
function sentEmpty(before: readonly DifferentialStep[], empty: RegExp): boolean {
  return before.some(({ method, body }) => method !== 'GET' && empty.test(JSON.stringify(body) ?? ''));
}

const emptyOfPolicy = /\[\]|"matchLabels":\{\}/;
const emptyOfRange = /\[\]|\{\}/;

/**
 * Kubernetes takes an empty list or map of a NetworkPolicy for a change, and one of a LimitRange for something to own; it is gone when
 * the object has been stored.
 */
function dropTraces(body: Json, before: readonly DifferentialStep[]): Json {
  if (body?.kind === 'LimitRange' && sentEmpty(before, emptyOfRange)) {
    return { ...body, metadata: { ...body.metadata, managedFields: undefined } };
  }
  if (body?.kind !== 'NetworkPolicy' || !sentEmpty(before, emptyOfPolicy)) return body;
  return { ...body, metadata: { ...body.metadata, generation: undefined, resourceVersion: undefined } };
}

/** The pair without traces of empty lists, and with the fields of quoted objects in one order; `before` are the steps up to this one. */
export function levelQuotes(
  pair: AnswerPair,
  _step: DifferentialStep,
  before: readonly DifferentialStep[],
): AnswerPair {
  return changeBodies(pair, (body) => levelQuoted(dropTraces(body, before)));
}
