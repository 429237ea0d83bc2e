import { makeServiceUnavailableError } from '../../core/errors/make-status-error.ts';
import { StatusError } from '../../core/errors/status.ts';
import { HostUnreachableError } from '../../platform/kube/host-unreachable-error.ts';

/** What a client is told of a failed call of the host: 503 when no answer came, which is logged with its cause; else the error as it is. */
export function describeHostFailure(error: unknown): unknown {
  if (!(error instanceof HostUnreachableError)) return error;
  return new StatusError(makeServiceUnavailableError('the host did not answer, please try again').status, {
    cause: error,
  });
}
