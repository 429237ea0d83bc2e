import { CelError, type CelResult } from '../../../core/cel/values/cel-value.ts';
import { countBytes } from '../../../core/validation/names.ts';
import type { PolicyValidation } from '../validating-admission-policy/schema.ts';

/** The longest message that an expression may make, in bytes of UTF-8. */
const maxEvaluatedBytes = 5 * 1024;

/** What is said of a validation that does not hold; `fault` is why it is not what its messageExpression yielded. */
export interface DecidedMessage {
  readonly message: string;
  readonly fault?: string;
}

function findFault(evaluated: CelResult): string | undefined {
  if (evaluated instanceof CelError) return evaluated.message;
  if (typeof evaluated !== 'string') return 'the result is no text';
  const text = evaluated.trim();
  if (text === '') return 'the result is empty';
  if (text.includes('\n')) return 'the result has line breaks';
  return countBytes(text) > maxEvaluatedBytes ? `the result is longer than ${maxEvaluatedBytes} bytes` : undefined;
}

/** The message of a validation that does not hold: of its messageExpression (`undefined`: none), else its message, else its expression. */
export function decideMessage(
  { expression, message = '' }: PolicyValidation,
  evaluated: CelResult | undefined,
): DecidedMessage {
  const fault = evaluated === undefined ? undefined : findFault(evaluated);
  if (fault === undefined && typeof evaluated === 'string') return { message: evaluated.trim() };
  const instead = message.trim() || `failed expression: ${expression.trim()}`;
  return { message: instead, ...(fault === undefined ? {} : { fault }) };
}
