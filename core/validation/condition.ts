import type { FieldError } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { makeDuplicate, makeInvalid, makeNotSupported, makeRequired, makeTooLong } from '../errors/make-field-error.ts';
import { countBytes, describePattern } from './names.ts';
import { validateLabelKey } from './object-meta.ts';

/** Kubernetes' metav1.Condition. */
export interface Condition {
  type: string;
  status: string;
  observedGeneration?: number;
  /** RFC 3339; null when unset. */
  lastTransitionTime?: string | null;
  reason: string;
  message: string;
}

const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_REGEX = new RegExp(`^(?:${REASON})$`);
const REASON_DETAIL = describePattern(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);

function validateCondition(condition: Partial<Condition>, path: FieldPath): FieldError[] {
  const { type = '', status = '', reason = '', message = '', observedGeneration = 0 } = condition;
  const errors = validateLabelKey(type, path.child('type'));
  if (!['False', 'True', 'Unknown'].includes(status)) {
    errors.push(makeNotSupported(path.child('status'), status, ['False', 'True', 'Unknown']));
  }
  if (observedGeneration < 0) {
    const detail = 'must be greater than or equal to zero';
    errors.push(makeInvalid(path.child('observedGeneration'), observedGeneration, detail));
  }
  if ((condition.lastTransitionTime ?? '') === '') errors.push(makeRequired(path.child('lastTransitionTime'), ''));
  if (reason === '') {
    errors.push(makeRequired(path.child('reason'), ''));
  } else {
    if (!REASON_REGEX.test(reason)) errors.push(makeInvalid(path.child('reason'), reason, REASON_DETAIL));
    if (countBytes(reason) > 1024) errors.push(makeTooLong(path.child('reason'), '', 1024));
  }
  if (countBytes(message) > 32 * 1024) errors.push(makeTooLong(path.child('message'), '', 32 * 1024));
  return errors;
}

/** Every fault of a list of conditions; a type may occur once. */
export function validateConditions(conditions: readonly Condition[] | undefined, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return (conditions ?? []).flatMap((condition, i) => {
    const at = path.index(i);
    const repeated = seen.has(condition.type) ? [makeDuplicate(at.child('type'), condition.type)] : [];
    seen.add(condition.type);
    return [...repeated, ...validateCondition(condition, at)];
  });
}
