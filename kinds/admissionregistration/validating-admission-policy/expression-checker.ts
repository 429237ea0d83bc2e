import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';

/** Looks at the expressions of one policy, in the order in which they are validated. */
export interface ExpressionChecker {
  /** Faults of a match condition. */
  checkCondition(expression: string, path: FieldPath): FieldError[];
  /** Faults of a variable; those after it may use it. */
  checkVariable(name: string, expression: string, path: FieldPath): FieldError[];
  /** Faults of a validation's expression. */
  checkValidation(expression: string, path: FieldPath): FieldError[];
  /** Faults of a messageExpression. */
  checkMessage(expression: string, path: FieldPath): FieldError[];
  /** Faults of an audit annotation's valueExpression. */
  checkAnnotation(expression: string, path: FieldPath): FieldError[];
}

const noFaults = (): FieldError[] => [];

/** Finds no faults: for what does not depend on expressions. */
export const noExpressionChecker: ExpressionChecker = {
  checkCondition: noFaults,
  checkVariable: noFaults,
  checkValidation: noFaults,
  checkMessage: noFaults,
  checkAnnotation: noFaults,
};
