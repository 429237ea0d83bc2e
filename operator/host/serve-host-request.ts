import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { makeBadRequestError } from '../../core/errors/make-status-error.ts';
import type { KindRegistry } from '../../kinds/registry.ts';
import type { HostConnection } from '../../platform/kube/host-connection.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { readAuthenticationRequest } from '../apiserver/authn/read-authentication-request.ts';
import { passFlowControl } from '../apiserver/flow-control/pass-flow-control.ts';
import { FLOW_DUMPS_PREFIX, serveFlowDump } from '../apiserver/flow-control/serve-flow-dump.ts';
import { makeAuthorizationDeniedError } from '../apiserver/authz/authorization-denied.ts';
import { isLongRunning } from '../apiserver/flow-control/is-long-running.ts';
import { parseQuery } from '../apiserver/http/parse-query.ts';
import { answerError } from '../apiserver/http/answer-error.ts';
import { endInTime, makeLateError } from '../apiserver/http/end-in-time.ts';
import type { Exchange } from '../apiserver/http/exchange.ts';
import { logRequest } from '../apiserver/http/log-request.ts';
import { OpenExchange } from '../apiserver/http/open-exchange.ts';
import type { RequestMetrics } from '../apiserver/http/request-metrics.ts';
import { parseTimeout, REQUEST_TIMEOUT_MILLIS } from '../apiserver/http/request-timeout.ts';
import { NOT_FOUND_TEXT } from '../apiserver/http/route-resource.ts';
import { sendBytes, sendText } from '../apiserver/http/send-answer.ts';
import { HealthEndpoints } from '../apiserver/http/serve-health.ts';
import { serveRequest, type RequestServices } from '../apiserver/http/serve-request.ts';
import { parseRequestInfo } from '../apiserver/request-info.ts';
import { splitPath } from '../apiserver/split-path.ts';
import type { Caller, CallerAuthenticator } from './authenticate-caller.ts';
import type { ForwardIdentity } from './forward-headers.ts';
import { forwardOwnKind } from './forward-own-kind.ts';
import { forwardUnchanged } from './forward-request.ts';
import type { HostDiscoveryDocuments } from './host-discovery.ts';
import type { HostOpenApi } from './host-openapi.ts';
import { describeHostFailure } from './host-failure.ts';
import { findOwnRoute } from './host-route.ts';

/** All that serving a request on a host needs. */
export interface HostServices {
  readonly connection: HostConnection;
  readonly callers: CallerAuthenticator;
  readonly registry: KindRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly health: HealthEndpoints;
  readonly discovery: HostDiscoveryDocuments;
  readonly openApi: HostOpenApi;
  /** Serves what is answered here: kinds that the host may not know. */
  readonly reviews: RequestServices;
  /** Aborts when the service shuts down. */
  readonly closing: AbortSignal;
}

/** A reason of its own keeps every request's end from making an exception, with its stack. */
const GONE = new Error('the request has ended');

/** A request's path, decoded and as it is written, and its query; `undefined` when it is malformed. */
function parseUrl(url: string): { path: string; rawPath: string; query: URLSearchParams } | undefined {
  const at = url.indexOf('?');
  const rawPath = at < 0 ? url : url.slice(0, at);
  try {
    const path = decodeURIComponent(rawPath);
    if (!path.startsWith('/')) return undefined;
    return { path, rawPath, query: parseQuery(at < 0 ? '' : url.slice(at + 1)) };
  } catch {
    return undefined;
  }
}

/** Whether a path is of a group that is answered here, or of the documents about it. */
function isServedHere({ resources }: RequestServices, path: string): boolean {
  const [root = '', ...rest] = splitPath(path);
  const names = root === 'openapi' ? rest.slice(1) : [root, ...rest];
  return names[0] === 'apis' && resources.services.registry.kinds.some(({ group }) => group === names[1]);
}

/** Serves one request to its end. Never throws and never rejects: what went wrong becomes an answer, or a log entry. */
export async function serveHostRequest(
  services: HostServices,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parsed = parseUrl(request.url ?? '/');
  if (parsed === undefined) {
    response.writeHead(400, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
    response.end('400 Bad Request');
    return;
  }
  if (isServedHere(services.reviews, parsed.path)) return serveRequest(services.reviews, request, response);
  const begunMillis = performance.now();
  const gone = new AbortController();
  response.once('close', () => gone.abort(GONE));
  const exchange = new OpenExchange(request, response, {
    info: parseRequestInfo(request.method ?? 'GET', parsed.path, parsed.query),
    query: parsed.query,
    makeSignal: () => gone.signal,
  });
  const timeoutMillis = readTimeoutMillis(exchange);
  const timer = timeoutMillis === undefined ? undefined : startTimer(exchange, timeoutMillis);
  try {
    await serve(services, exchange, parsed.rawPath, { begunMillis, timeoutMillis });
  } catch (error) {
    if (!exchange.signal.aborted) await answerError(services.logger, exchange, error);
  } finally {
    clearTimeout(timer);
    exchange.flow?.end();
    logRequest(services.logger, exchange, performance.now() - begunMillis);
  }
}

/** How long a request may hold its seats, in milliseconds; `undefined`: as long as it likes. */
function readTimeoutMillis({ info, query }: Exchange): number | undefined {
  if (isLongRunning(info)) return undefined;
  const timeout = parseTimeout(query);
  // What is wrong with a time is told by the host.
  return typeof timeout === 'number' ? timeout : REQUEST_TIMEOUT_MILLIS;
}

/** Takes the seats of a request back when its time is over. A body that is read here is not waited for; an answer lasts as long as the host lets it. */
function startTimer(exchange: Exchange, timeoutMillis: number): NodeJS.Timeout {
  return setTimeout(() => {
    if (exchange.abandonBody !== undefined) void endInTime(exchange).catch(() => undefined);
    else if (exchange.flow?.isWaiting === false) exchange.flow.release();
  }, timeoutMillis);
}

async function serve(
  services: HostServices,
  exchange: Exchange,
  rawPath: string,
  times: { readonly begunMillis: number; readonly timeoutMillis: number | undefined },
): Promise<void> {
  const { request, info } = exchange;
  const route = findOwnRoute(services.registry, info, rawPath);
  services.metrics.track(exchange, route !== undefined);
  const caller = await services.callers.authenticate(readAuthenticationRequest(request, services.clock.now()));
  if (HealthEndpoints.matches(info.path)) return services.health.serve(exchange);
  await passFlow(services, exchange, caller, times);
  if (isAboutItself(info.path)) return serveAboutItself(services, exchange);
  if (request.headers.upgrade !== undefined) {
    throw makeBadRequestError(
      `connections are not upgraded here, as exec, attach and port-forward need it; ask the host itself, at ${services.connection.serverUrl}`,
    );
  }
  return forward(services, exchange, caller.identity, rawPath);
}

/** Has the request ask for its seats, in the name of who shows the credentials: whom it acts as is for the host to judge. */
async function passFlow(
  { reviews }: HostServices,
  exchange: Exchange,
  caller: Caller,
  { begunMillis, timeoutMillis }: { readonly begunMillis: number; readonly timeoutMillis: number | undefined },
): Promise<void> {
  if (reviews.flow === undefined) return;
  try {
    exchange.user = await caller.readUser();
  } catch (error) {
    throw describeHostFailure(error);
  }
  const elapsedMillis = performance.now() - begunMillis;
  if (timeoutMillis !== undefined && elapsedMillis >= timeoutMillis) {
    // As for those whose body is waited for: what is left of it would be read as the next request.
    if (!exchange.request.complete) exchange.response.setHeader('Connection', 'close');
    throw makeLateError();
  }
  await passFlowControl(reviews.flow, exchange, { elapsedMillis, timeoutMillis });
}

/** Whether a path is about this program; what is alike at the host is asked there. */
function isAboutItself(path: string): boolean {
  return path === '/metrics' || path.startsWith(FLOW_DUMPS_PREFIX);
}

/** The program's own metrics and dumps. */
async function serveAboutItself({ reviews }: HostServices, exchange: Exchange): Promise<void> {
  const { user } = exchange;
  const { verb, path } = exchange.info;
  const attributes = { type: 'non-resource', verb, path } as const;
  const { allowed, reason } = await reviews.authorizer.authorize(user, attributes);
  if (!allowed) throw makeAuthorizationDeniedError(user, attributes, reason);
  if (await serveFlowDump(reviews.flow?.flowControl, exchange)) return;
  if (path !== '/metrics') return sendText(exchange, 404, NOT_FOUND_TEXT);
  await sendBytes(exchange, 200, reviews.registry.contentType, await reviews.registry.metrics());
}

async function forward(
  services: HostServices,
  exchange: Exchange,
  identity: ForwardIdentity,
  rawPath: string,
): Promise<void> {
  const { connection, closing, registry } = services;
  const call = { connection, exchange, identity, closing, hostPath: rawPath };
  if (exchange.request.method === 'GET' && !exchange.info.isResourceRequest) {
    for (const documents of [services.discovery, services.openApi]) {
      if (documents.concerns(exchange.info.path)) return documents.serve(call);
    }
  }
  const route = findOwnRoute(registry, exchange.info, rawPath);
  if (route === undefined) return forwardUnchanged(call);
  return forwardOwnKind({
    ...{ ...call, hostPath: route.hostPath, route },
    ...{ domain: registry.domain, nowMillis: services.clock.now() },
  });
}
