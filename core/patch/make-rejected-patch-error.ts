import { StatusError } from '../errors/status.ts';

/** 422 without details, for a patch that does not fit the object it is for. */
export function makeRejectedPatchError(): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: {},
    code: 422,
  });
}
