import { answerExpression } from '../oracle/answer-expression.ts';
import type { OracleAnswer } from '../oracle/oracle-protocol.ts';
import { describeTypedValue } from '../oracle/typed-value.ts';
import { compareAnswers } from './compare-answers.ts';
import type { ConformanceTest } from './read-conformance-tests.ts';

/** What our engine makes of a conformance test. */
export interface ConformanceVerdict {
  readonly test: ConformanceTest;
  readonly passes: boolean;
  readonly ours: OracleAnswer;
  /** The same outcome as in Kubernetes: the same result, an error where it has one, the same faults. */
  readonly isAsKubernetes: boolean;
}

/** Runs a conformance test in our engine. Never throws: a fault of the engine's is a failure. */
export function judgeConformanceTest(test: ConformanceTest): ConformanceVerdict {
  const ours = answerSafely(test);
  const difference = compareAnswers(test.kubernetes, ours);
  return {
    test,
    ours,
    passes: meetsExpectation(test, ours),
    isAsKubernetes: difference === undefined || (!difference.outcome && !difference.verdict),
  };
}

function answerSafely({
  expression,
  container,
  disableMacros,
  checkOnly,
  variables,
  functions,
}: ConformanceTest): OracleAnswer {
  try {
    return answerExpression({
      expression,
      ...(container !== undefined && { container }),
      ...(disableMacros !== undefined && { disableMacros }),
      ...(checkOnly !== undefined && { checkOnly }),
      ...(variables && { variables }),
      ...(functions && { functions }),
    });
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

function meetsExpectation(
  { expectsError, checkOnly, expected, expectedType }: ConformanceTest,
  ours: OracleAnswer,
): boolean {
  if (ours.failure !== undefined || ours.faults !== undefined) return false;
  if (expectedType !== undefined && ours.type !== expectedType) return false;
  if (checkOnly === true) return true;
  if (expectsError === true) return ours.error !== undefined;
  if (expected === undefined || ours.result === undefined) return false;
  return describe(expected) === describe(ours.result);
}

/** Zero has one sign here: cel-spec compares by value. */
function describe(value: NonNullable<ConformanceTest['expected']>): string {
  return describeTypedValue(value).replaceAll('"-0"', '0');
}
