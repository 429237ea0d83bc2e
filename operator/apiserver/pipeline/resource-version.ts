import { makeBadRequestError, makeTimeoutError } from '../../../core/errors/make-status-error.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import type { StatusError } from '../../../core/errors/status.ts';

const MAX_UINT64 = 2n ** 64n;

/** Reads a resourceVersion parameter; `undefined` when empty. Throws 400 with the prefix that Kubernetes has for the verb. */
export function readResourceVersion(
  text: string | undefined,
  prefix = 'invalid resource version: ',
): number | undefined {
  if (text === undefined || text === '') return undefined;
  const fault = (why: string): StatusError =>
    makeBadRequestError(
      `${prefix}resourceVersion: Invalid value: ${quoteGo(text)}: strconv.ParseUint: parsing ${quoteGo(text)}: ${why}`,
    );
  if (!/^\d+$/.test(text)) throw fault('invalid syntax');
  if (BigInt(text) >= MAX_UINT64) throw fault('value out of range');
  return Number(text);
}

/** 504 for a resourceVersion that the store has not reached, as the client wrote it where it did. */
export function makeTooLargeVersionError(version: number | string, current: number): StatusError {
  // A number would lose digits beyond 2^53.
  const error = makeTimeoutError(`Too large resource version: ${BigInt(version)}, current: ${current}`, 1);
  error.status.details = {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  };
  return error;
}
