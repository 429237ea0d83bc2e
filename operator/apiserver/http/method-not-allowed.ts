import { StatusError } from '../../../core/errors/status.ts';

/** 405 of a path that serves other methods. */
export function makeMethodNotAllowedError(): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server does not allow this method on the requested resource',
    reason: 'MethodNotAllowed',
    details: {},
    code: 405,
  });
}
