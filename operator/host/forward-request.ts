import type { Readable } from 'node:stream';
import type { HostAnswer, HostConnection } from '../../platform/kube/host-connection.ts';
import type { Exchange } from '../apiserver/http/exchange.ts';
import { MAX_BODY_BYTES, readBody } from '../apiserver/http/read-body.ts';
import { composeForwardHeaders, hasBody, type ForwardIdentity } from './forward-headers.ts';
import { describeHostFailure } from './host-failure.ts';
import { pumpAnswer } from './pump-answer.ts';

/** One request of a client on its way to the host. */
export interface ForwardCall {
  readonly connection: HostConnection;
  readonly exchange: Exchange;
  readonly identity: ForwardIdentity;
  /** Path on the host, encoded, without the query. */
  readonly hostPath: string;
  /** Aborts when the service shuts down: answers without an end are ended by it. */
  readonly closing: AbortSignal;
}

/** What a request to the host differs in from the client's. */
export interface ForwardChanges {
  readonly method?: string;
  readonly body?: Buffer | Readable;
  /** Headers by lower-case name; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** With the question mark; absent: the client's. */
  readonly search?: string;
}

/** The query of a request, with its question mark; empty when there is none. */
function readSearch(exchange: Exchange): string {
  const url = exchange.request.url ?? '/';
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

/** Sends a client's request to the host, in the client's name. Throws a StatusError (503) when no answer comes. */
export async function sendToHost(call: ForwardCall, changes: ForwardChanges): Promise<HostAnswer> {
  const { exchange, identity, connection } = call;
  const { request, auditId, signal } = exchange;
  const headers: Record<string, string | string[]> = composeForwardHeaders(request.headersDistinct, identity, {
    address: request.socket.remoteAddress ?? '',
    auditId,
  });
  for (const [name, value] of Object.entries(changes.headers ?? {})) {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  }
  try {
    return await connection.send({
      method: changes.method ?? request.method ?? 'GET',
      path: call.hostPath + (changes.search ?? readSearch(exchange)),
      headers,
      ...(changes.body === undefined ? {} : { body: changes.body }),
      credentials: identity.as === 'caller' ? 'none' : 'own',
      signal,
    });
  } catch (error) {
    throw describeHostFailure(error);
  }
}

/** Whether a request may be answered for as long as the client listens. */
function isLongRunning({ info, query }: Exchange): boolean {
  if (info.verb === 'watch' || info.verb === 'proxy') return true;
  return info.subresource === 'proxy' || (info.subresource === 'log' && query.get('follow') !== null);
}

/** A body that is longer than any object may be is refused here: half of it sent, the answer of the host might be lost. */
async function refuseLongBody(exchange: Exchange): Promise<void> {
  const { request, info } = exchange;
  const isObject = info.isResourceRequest && info.verb !== 'proxy' && info.subresource !== 'proxy';
  if (isObject && Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) await readBody(exchange);
}

/** Forwards a request that is none of ours, and its answer, without a change and without holding either. */
export async function forwardUnchanged(call: ForwardCall): Promise<void> {
  const { exchange, closing } = call;
  const { request, response } = exchange;
  await refuseLongBody(exchange);
  const answer = await sendToHost(call, hasBody(request.headers) ? { body: request } : {});
  if (!request.complete) {
    // The host has answered without reading all of it: what is left would be taken for the next request.
    request.unpipe();
    request.resume();
    response.setHeader('Connection', 'close');
  }
  await pumpAnswer(exchange, answer, [], isLongRunning(exchange) ? closing : undefined);
}
