import type { DifferentialStep } from '../differential-case.ts';
import { changeBody, type AnswerPair, type Json } from './change-body.ts';

const unserved: ReadonlySet<string> = new Set(['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']);

/** The pair without the kinds that discovery lists at the real server alone, where the step says that there are some. */
export function dropUnserved([real, ours]: AnswerPair, { deviation }: DifferentialStep): AnswerPair {
  if (deviation !== 'webhooks' || !Array.isArray(real.body?.resources)) return [real, ours];
  const drop = (body: Json): Json => ({
    ...body,
    resources: body.resources.filter(({ name }: Json) => !unserved.has(name)),
  });
  return [changeBody(real, drop), ours];
}
