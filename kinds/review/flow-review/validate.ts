import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import {
  makeForbidden,
  makeInvalid,
  makeNotSupported,
  makeRequired,
  makeTooMany,
} from '../../../core/errors/make-field-error.ts';
import type { FlowReview } from './schema.ts';

/** Each is looked up for every rule that is explained. */
const MAX_GROUPS = 1000;
const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Whether a text can be what an HTTP request asks for: a path, and perhaps a query. */
function isRequestTarget(path: string): boolean {
  if (!/^\/[\x21-\x7e]*$/.test(path) || path.includes('#')) return false;
  try {
    decodeURIComponent(path.split('?')[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

/** Faults of a review's spec ("FlowReview"). */
export function validateFlowReview({ spec }: FlowReview): FieldError[] {
  const path = FieldPath.root('spec');
  const { method = 'GET', path: target, user = '', groups = [] } = spec;
  const errors: FieldError[] = [];
  if (!methods.includes(method)) errors.push(makeNotSupported(path.child('method'), method, methods));
  if (target === '') errors.push(makeRequired(path.child('path'), ''));
  else if (!isRequestTarget(target)) {
    errors.push(makeInvalid(path.child('path'), target, 'must be a path that begins with /, encoded as in a URL'));
  }
  if (user === '' && groups.length > 0) {
    errors.push(makeForbidden(path.child('groups'), 'may not be specified without `user`'));
  }
  if (groups.length > MAX_GROUPS) errors.push(makeTooMany(path.child('groups'), groups.length, MAX_GROUPS));
  return errors;
}
