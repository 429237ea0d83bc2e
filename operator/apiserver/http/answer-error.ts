import type { Logger } from 'pino';
import { makeInternalError } from '../../../core/errors/make-status-error.ts';
import { StatusError } from '../../../core/errors/status.ts';
import { UnreadableRequestError } from '../unreadable-request-error.ts';
import { breakOff } from './end-in-time.ts';
import type { Exchange } from './exchange.ts';
import { describeFlow } from './log-request.ts';
import { sendStatus } from './send-answer.ts';
import { sendUnreadable } from './send-unreadable.ts';

/**
 * Answers what was thrown, or breaks the answer off when it has begun. What is not a refusal is our fault: it is logged under the id that the
 * client is told.
 */
export async function answerError(logger: Logger, exchange: Exchange, error: unknown): Promise<void> {
  const { auditId, response, request } = exchange;
  if (error instanceof UnreadableRequestError) return sendUnreadable(exchange, error);
  let status = error instanceof StatusError ? error.status : undefined;
  if (status === undefined || (error instanceof StatusError && error.cause !== undefined)) {
    const fields = { auditId, method: request.method, path: exchange.info.path, ...describeFlow(exchange) };
    logger.error({ err: error, ...fields }, 'a request failed');
    status ??= makeInternalError(`the request could not be served; see the log for ${auditId}`).status;
  }
  try {
    if (response.headersSent) breakOff(response);
    else await sendStatus(exchange, status);
  } catch (cause) {
    logger.error({ err: cause, auditId }, 'an error could not be answered');
    response.destroy();
  }
}
