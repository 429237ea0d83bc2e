import { describe, expect, it } from 'vitest';

import { answerExpression } from '../../../test/oracle/answer-expression.ts';
import type { OracleAnswer, OracleRequest } from '../../../test/oracle/oracle-protocol.ts';
import { describeTypedValue } from '../../../test/oracle/typed-value.ts';
import cases from '../testdata/libraries.json' with { type: 'json' };
import { listKubernetesLibraries } from './kubernetes-libraries.ts';

type Case = OracleRequest & { answer: OracleAnswer };

function pickVerdict(answer: OracleAnswer): unknown {
  const { text, result, error, cost } = answer;
  if (text !== undefined) return { text };
  const verdict = { result: describeTypedValue(result), error };
  // What a call that is stopped ahead would have cost is not known.
  return error?.includes('cost limit') === true ? verdict : { ...verdict, cost };
}

describe('calls of every overload answer as in Kubernetes', () => {
  it.for(cases as unknown as Case[])('$expression', ({ answer, ...request }) => {
    expect(pickVerdict(answerExpression(request))).toEqual(pickVerdict(answer));
  });
});

describe('listKubernetesLibraries', () => {
  it('gives a stored expression one library more', () => {
    const names = listKubernetesLibraries('new').map(({ name }) => name);
    const stored = listKubernetesLibraries('stored').map(({ name }) => name);
    expect(stored).toEqual([...names, 'cel.lib.ext.lists']);
  });

  it('has an id for each overload once', () => {
    const ids = listKubernetesLibraries('stored').flatMap((library) =>
      library.functions.flatMap(({ overloads }) => overloads.map(({ id }) => id)),
    );
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  });
});
