import type { OracleAnswer } from '../oracle/oracle-protocol.ts';
import { describeTypedValue } from '../oracle/typed-value.ts';

/** How an expression ended. */
export type AnswerKind = 'faults' | 'error' | 'result' | 'checked' | 'failure';

/** How an answer ended. */
export function kindOf({ failure, faults, error, result }: OracleAnswer): AnswerKind {
  if (failure !== undefined) return 'failure';
  if (faults !== undefined) return 'faults';
  if (error !== undefined) return 'error';
  return result === undefined ? 'checked' : 'result';
}

/** What two answers differ in. */
export interface AnswerDifference {
  /** One has a result where the other has an error, or another result; none is allowed. */
  readonly outcome: boolean;
  /** One has faults where the other has none, or at other places. */
  readonly verdict: boolean;
  readonly cost: boolean;
  /** The words of an error or a fault, or the type of a result. */
  readonly words: boolean;
}

/** Compares the answers of two engines to one question; `undefined`: they are the same in everything. */
export function compareAnswers(theirs: OracleAnswer, ours: OracleAnswer): AnswerDifference | undefined {
  const kinds = [kindOf(theirs), kindOf(ours)];
  const isSameKind = kinds[0] === kinds[1];
  const hasFaults = kinds.includes('faults');
  const difference = {
    outcome: !hasFaults && (!isSameKind || describeResult(theirs) !== describeResult(ours)),
    verdict: hasFaults && (!isSameKind || describePlaces(theirs) !== describePlaces(ours)),
    cost: isSameKind && !isCancelled(theirs) && theirs.cost !== ours.cost,
    words: isSameKind && describeWords(theirs) !== describeWords(ours),
  };
  return Object.values(difference).includes(true) ? difference : undefined;
}

/** Of what exceeds the limit, nobody counts how far. */
function isCancelled({ error }: OracleAnswer): boolean {
  return error === 'operation cancelled: actual cost limit exceeded';
}

function describeResult({ result }: OracleAnswer): string | undefined {
  return result && describeTypedValue(result);
}

function describePlaces({ faults = [] }: OracleAnswer): string {
  return faults
    .map(({ line, column }) => `${line}:${column}`)
    .toSorted()
    .join(' ');
}

function describeWords({ text, error, type }: OracleAnswer): string {
  return error ?? text ?? type ?? '';
}
