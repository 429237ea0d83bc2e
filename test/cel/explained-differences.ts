import type { OracleAnswer, TypedValue } from '../oracle/oracle-protocol.ts';

/** A way in which our answers differ from Kubernetes' on purpose. */
export interface ExplainedDifference {
  readonly name: string;
  /** Why, in a sentence. */
  readonly reason: string;
  readonly explains: (theirs: OracleAnswer, ours: OracleAnswer, expression: string) => boolean;
}

/** Every class of differences that is known and wanted. */
const explainedDifferences: readonly ExplainedDifference[] = [
  {
    name: 'kubernetes-panics',
    reason:
      "Kubernetes' own library fails with a Go panic, which ends the evaluation as an internal error; ours goes on with the error that led there.",
    explains: (theirs) => theirs.error?.startsWith('internal error: ') === true,
  },
  {
    name: 'oracle-panics',
    reason: 'cel-go cannot be asked: making the program panics, as with bytes for the key of a constant map.',
    explains: (theirs) => theirs.failure?.startsWith('panic: ') === true,
  },
  {
    name: 'optionals-in-branches',
    reason:
      'What a conditional, optMap or optFlatMap yields as an optional loses a level of nesting in cel-go, or its type (an address, a quantity …) and then fails where it is used; ours keeps the value.',
    explains: (theirs, ours, expression) => {
      const hasBranch =
        /optMap|optFlatMap/.test(expression) || (/optional|\.\?|\[\?/.test(expression) && /[^.[]\?/.test(expression));
      if (!hasBranch) return false;
      if (/unsupported conversion to ref\.Val/.test(JSON.stringify(theirs))) return true;
      if (theirs.error?.startsWith('no such overload') === true || JSON.stringify(ours).includes('"optional":'))
        return true;
      return (
        theirs.result !== undefined && ours.result !== undefined && collapse(theirs.result) === collapse(ours.result)
      );
    },
  },
  {
    name: 'negative-levels',
    reason:
      'Kubernetes takes the negative level of flatten for a number without sign when it charges the call, and so charges next to everything or gives some back; ours charges nothing.',
    explains: (theirs, ours, expression) =>
      expression.includes('.flatten(') && [theirs.error, ours.error].includes('level must be non-negative'),
  },
  {
    name: 'lists-as-keys',
    reason:
      'A list is no key of a map. Kubernetes lets one stand in a map all the same, where it equals nothing; ours compares it.',
    explains: (_theirs, ours) => ours.error?.startsWith('insert failed: key [') === true,
  },
  {
    name: 'names-of-time-zones',
    reason:
      'Kubernetes looks for a time zone among its files, and says what the system says of a name that no file can have.',
    explains: (theirs, ours) =>
      theirs.error === 'file name too long' && ours.error?.startsWith('unknown time zone ') === true,
  },
  {
    name: 'emptiness-of-declared-lists',
    reason:
      'A list or map that a schema describes is never a zero value to optional.ofNonZeroValue where a CRD is validated; policies see plain lists there, as ours always are.',
    explains: (theirs, ours, expression) =>
      expression.includes('ofNonZeroValue') &&
      theirs.error === undefined &&
      JSON.stringify(ours).includes('"optional":null'),
  },
];

/** The result without the levels of its optionals. */
function collapse(result: TypedValue): string {
  return JSON.stringify(result)
    .replaceAll('{"optional":null}', '{"null":null}')
    .replaceAll('{"optional":', '{')
    .replaceAll(/[{}]/g, '');
}

/** Why this difference is as it should be; `undefined`: it should not be. */
export function explainDifference(
  theirs: OracleAnswer,
  ours: OracleAnswer,
  expression: string,
): ExplainedDifference | undefined {
  return explainedDifferences.find(({ explains }) => explains(theirs, ours, expression));
}
