import type { DifferentialStep } from '../differential-case.ts';
import type { NormalAnswer } from '../normalize-answers.ts';
import type { AnswerPair } from './change-body.ts';

const ownWarning =
  /(?:^|, )299 - "spec\.(?:minAvailable|maxUnavailable) is [^"]*no eviction of a healthy pod can ever be allowed[^"]*"/g;

function readWarnings({ headers }: NormalAnswer): string {
  return headers['warning'] ?? '';
}

/** The pair without what we alone warn of: disruption budgets that never allow an eviction. */
export function levelWarnings([real, ours]: AnswerPair, { path }: DifferentialStep): AnswerPair {
  const text = readWarnings(ours);
  if (!/\/poddisruptionbudgets\b/.test(path) || readWarnings(real).includes('no eviction of a healthy pod')) {
    return [real, ours];
  }
  const kept = text.replaceAll(ownWarning, '').replace(/^, /, '');
  if (kept === text) return [real, ours];
  const { warning: _, ...headers } = ours.headers;
  return [real, { ...ours, headers: kept === '' ? headers : { ...headers, warning: kept } }];
}
