import type { ValidatingAdmissionPolicySpec } from '../validating-admission-policy/schema.ts';

/** Each of these macros holds what it is called on twice. */
const doublingMacros = /\bopt(?:Flat)?Map\b/g;
/** A repetition in a pattern, which is compiled as often as it says: of a group, or of one character or class. */
const repetitions = /(\)?)\{(\d+)(?:,(\d*))?\}/g;
/** Characters written by their numbers may be any of a repetition. */
const numberedCharacters = /\\(?:[xXuU]|[0-3][0-7]{2})/;
const unknownCost = 20_000;

function measureRepetitions(expression: string): number {
  let sum = numberedCharacters.test(expression) ? unknownCost : 0;
  for (const { 1: group, 2: least = '', 3: most = '', index } of expression.matchAll(repetitions)) {
    // How long a group is takes a parser; it begins in the expression.
    sum += Math.max(Number(least), Number(most)) * (group === '' ? 1 : index);
  }
  return sum;
}

/** About how long an expression or a pattern takes to compile, as the number of characters of plain ones that take as long. */
export function measureExpression(expression: string): number {
  const doublings = expression.match(doublingMacros)?.length ?? 0;
  return expression.length * 2 ** doublings + measureRepetitions(expression);
}

/** What even the shortest expression takes. */
const expressionCost = 20;
/** A few milliseconds. */
const longSource = 5_000;

/** Whether compiling the policy takes long enough to be done where it holds up nobody. */
export function isLongSource(spec: ValidatingAdmissionPolicySpec): boolean {
  return measureSource(spec) > longSource;
}

/** About how long a policy takes to compile, as the number of characters of plain expressions that take as long: a thousand take a millisecond. */
export function measureSource(spec: ValidatingAdmissionPolicySpec): number {
  const { matchConditions = [], variables = [], validations = [], auditAnnotations = [] } = spec;
  const expressions = [
    ...[...matchConditions, ...variables, ...validations].map(({ expression }) => expression),
    ...validations.flatMap(({ messageExpression = '' }) => (messageExpression === '' ? [] : [messageExpression])),
    ...auditAnnotations.map(({ valueExpression }) => valueExpression),
  ];
  return expressions.reduce((sum, expression) => sum + measureExpression(expression) + expressionCost, 0);
}
