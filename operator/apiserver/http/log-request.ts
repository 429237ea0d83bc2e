import type { Logger } from 'pino';
import { readUserAgent, type Exchange } from './exchange.ts';

/** What the log says of a request's way through flow control. */
export function describeFlow({ flow }: Exchange): object {
  if (flow === undefined) return {};
  const { schema, level, width, waitedMillis, refusal } = flow;
  return {
    flowSchema: schema,
    priorityLevel: level,
    ...width,
    waitedMillis: Math.round(waitedMillis),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** Notes a request that has ended, where the log has such details. */
export function logRequest(logger: Logger, exchange: Exchange, millis: number): void {
  if (!logger.isLevelEnabled('debug')) return;
  const { auditId, request, response, info, user } = exchange;
  const { method } = request;
  const { path, verb } = info;
  const fields = { auditId, method, path, verb, user: user.username, userAgent: readUserAgent(exchange) };
  const answer = { code: response.statusCode, millis: Math.round(millis), ...describeFlow(exchange) };
  logger.debug({ ...fields, ...answer }, 'a request has ended');
}
