import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { RequestAudit } from '../audit/request-audit.ts';
import type { FlowPass } from '../flow-control/flow-pass.ts';
import type { RequestInfo } from '../request-info.ts';
import type { Exchange } from './exchange.ts';

const MAX_AUDIT_ID_LENGTH = 64;
const NOBODY = { username: '', groups: [] } as const;

/** What is known of a request when it comes in. */
export interface ReceivedRequest {
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** Makes the signal that ends it; called once, if at all. */
  readonly makeSignal: () => AbortSignal;
}

/**
 * A request that has just come in, of nobody that is known yet. It is a class, since V8 makes a hidden class for each object literal with a
 * getter: those outlive the request, with all that it refers to, which had 5 of the 28 kB that a request takes wait for a full collection.
 */
export class OpenExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly auditId: string;
  user: UserInfo = NOBODY;
  readonly warnings = new Set<string>();
  readonly auditAnnotations = new Map<string, string>();
  audit: RequestAudit | undefined;
  flow: FlowPass | undefined;
  abandonBody: (() => void) | undefined;
  readonly #makeSignal: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, { info, query, makeSignal }: ReceivedRequest) {
    this.request = request;
    this.response = response;
    this.info = info;
    this.query = query;
    const givenId = request.headers['audit-id'];
    this.auditId = typeof givenId === 'string' && givenId !== '' ? givenId.slice(0, MAX_AUDIT_ID_LENGTH) : randomUUID();
    this.#makeSignal = makeSignal;
  }

  /** It is made when it is looked at, which few requests last long enough for. */
  get signal(): AbortSignal {
    return (this.#signal ??= this.#makeSignal());
  }
}
