import { makeBadRequestError } from '../errors/make-status-error.ts';
import type { StatusError } from '../errors/status.ts';
import type { ApplyResult } from './apply-configuration.ts';

/**
 * The refusal of a configuration that was rejected, in Kubernetes' words. Where Kubernetes takes the blame with a 500 for what
 * the client sent, the client is told with a 400.
 */
export function makeApplyRejection(result: Extract<ApplyResult, { outcome: 'rejected' }>): StatusError {
  return makeBadRequestError(result.message);
}
