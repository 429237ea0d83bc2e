import type { ServerResponse } from 'node:http';
import { makeTimeoutError } from '../../../core/errors/make-status-error.ts';
import type { StatusError } from '../../../core/errors/status.ts';
import type { Exchange } from './exchange.ts';
import { sendStatus } from './send-answer.ts';

/** 504 for a request whose time is over. */
export function makeLateError(): StatusError {
  return makeTimeoutError('request did not complete within the allotted timeout', 0);
}

/**
 * Ends what would keep seats for as long as its client likes: the rest of a body is not waited for, and an answer under way is broken off.
 * For when the time of a request is over.
 */
export async function endInTime(exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  if (response.headersSent) {
    breakOff(response);
    return;
  }
  if (!request.complete) response.setHeader('Connection', 'close');
  try {
    await sendStatus(exchange, makeLateError().status);
  } finally {
    exchange.abandonBody?.();
  }
}

/** Has the client see that its answer is not whole; one that was ended is left to arrive. */
export function breakOff(response: ServerResponse): void {
  if (!response.writableEnded) response.destroy();
}
