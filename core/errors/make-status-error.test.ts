import { describe, expect, it } from 'vitest';
import { FieldPath } from './field-path.ts';
import { makeForbidden, makeRequired } from './make-field-error.ts';
import {
  makeAlreadyExistsError,
  makeApplyConflictError,
  makeBadRequestError,
  makeConflictError,
  makeExpiredError,
  makeForbiddenError,
  makeGenerateNameConflictError,
  makeGenericNotFoundError,
  makeGoneError,
  makeInternalError,
  makeInvalidError,
  makeMethodNotSupportedError,
  makeNotFoundError,
  makeServerTimeoutError,
  makeServiceUnavailableError,
  makeTimeoutError,
  makeTooLargeError,
  makeTooManyRequestsError,
  makeUnauthorizedError,
} from './make-status-error.ts';
import { hasReason, type StatusError } from './status.ts';
import statuses from './testdata/statuses.json' with { type: 'json' };

const path = FieldPath.root('spec', 'a');
const cause = { reason: 'FieldManagerConflict', message: 'm', field: '.f' };
const made: Record<keyof typeof statuses, StatusError> = {
  notFound: makeNotFoundError('apps', 'deployments', 'a'),
  exists: makeAlreadyExistsError('', 'pods', 'a'),
  generate: makeGenerateNameConflictError('', 'pods', 'a', 1),
  conflict: makeConflictError('apps', 'deployments', 'a', 'm'),
  applyConflict: makeApplyConflictError([cause], 'm'),
  invalid: makeInvalidError('apps', 'Deployment', 'a', [
    makeRequired(path, ''),
    makeRequired(path, ''),
    makeForbidden(path, 'x'),
  ]),
  invalidOne: makeInvalidError('', 'Pod', 'a', [makeRequired(path, '')]),
  invalidNone: makeInvalidError('', 'Pod', '', []),
  badRequest: makeBadRequestError('m'),
  forbidden: makeForbiddenError('apps', 'deployments', 'a', 'm'),
  forbiddenNoName: makeForbiddenError('apps', 'deployments', '', 'm'),
  forbiddenEmpty: makeForbiddenError('', '', '', 'm'),
  unauthorized: makeUnauthorizedError(),
  method: makeMethodNotSupportedError('apps', 'deployments', 'create'),
  expired: makeExpiredError('m'),
  gone: makeGoneError('m'),
  tooMany: makeTooManyRequestsError('m', 3),
  tooLarge: makeTooLargeError('m'),
  internal: makeInternalError('m'),
  timeout: makeTimeoutError('m', 2),
  serverTimeout: makeServerTimeoutError('', 'pods', 'create', 1),
  unavailable: makeServiceUnavailableError('m'),
};

describe('Status errors', () => {
  // The statuses are Kubernetes' own.
  it.for(Object.keys(statuses) as (keyof typeof statuses)[])('%s has the body that Kubernetes sends', (name) => {
    expect(made[name].status).toEqual(statuses[name]);
  });

  it('tells a reason, and nothing of other errors', () => {
    expect(hasReason(makeGenericNotFoundError(), 'NotFound')).toBe(true);
    expect(hasReason(new Error('x'), 'NotFound')).toBe(false);
  });

  it('keeps the cause for the log, out of the body', () => {
    const error = makeInternalError('m', { cause: new Error('secret') });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(error.status)).not.toContain('secret');
  });
});
