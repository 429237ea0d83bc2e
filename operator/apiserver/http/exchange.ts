import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { RequestAudit } from '../audit/request-audit.ts';
import type { FlowPass } from '../flow-control/flow-pass.ts';
import type { RequestInfo } from '../request-info.ts';

/** One request under way and what is known of it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly auditId: string;
  /** Who the request acts as; set once authenticated and impersonated. */
  user: UserInfo;
  /** Texts of `Warning` headers, each once. */
  readonly warnings: Set<string>;
  /** Annotations of the audit event; a key's first value is kept. */
  readonly auditAnnotations: Map<string, string>;
  /** What is recorded of it; `undefined` before it is authenticated, and when nothing is. */
  audit?: RequestAudit | undefined;
  /** Its way through flow control; `undefined` before, and when it is not subject to any. */
  flow?: FlowPass | undefined;
  /** Ends the reading of the body, which fails; `undefined` but while it is read. */
  abandonBody?: (() => void) | undefined;
  /** Aborts when the client goes away or the service shuts down. */
  readonly signal: AbortSignal;
}

/** Name of the client program, as far as it tells. */
export function readUserAgent(exchange: Exchange): string {
  return exchange.request.headers['user-agent'] ?? '';
}
