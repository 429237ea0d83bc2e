import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { makeBadRequestError, makeUnauthorizedError } from '../../../core/errors/make-status-error.ts';
import { RequestAudit, type AuditServices } from '../audit/request-audit.ts';
import type { Authenticator } from '../authn/authenticator.ts';
import { asksToImpersonate, impersonate } from '../authn/impersonate.ts';
import { readAuthenticationRequest } from '../authn/read-authentication-request.ts';
import { makeAuthorizationDeniedError } from '../authz/authorization-denied.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import { makeAuthorizationAttributes } from '../authz/make-authorization-attributes.ts';
import { isLongRunning } from '../flow-control/is-long-running.ts';
import { passFlowControl, type FlowControlServices } from '../flow-control/pass-flow-control.ts';
import { findTarget } from '../pipeline/resource-target.ts';
import { parseRequestInfo } from '../request-info.ts';
import { UnreadableRequestError } from '../unreadable-request-error.ts';
import { answerError } from './answer-error.ts';
import { endInTime } from './end-in-time.ts';
import { makeEndSignal } from './end-signal.ts';
import type { Exchange } from './exchange.ts';
import { logRequest } from './log-request.ts';
import { OpenExchange } from './open-exchange.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { parseQuery } from './parse-query.ts';
import { parseTimeout } from './request-timeout.ts';
import { routeResource } from './route-resource.ts';
import { servePlainPath, type PlainPathServices } from './serve-plain-path.ts';

/** All that serving a request needs. */
export interface RequestServices extends PlainPathServices {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  /** Absent: every request is served at once. */
  readonly flow?: FlowControlServices | undefined;
  /** Absent: no request is recorded. */
  readonly audits?: AuditServices | undefined;
  /** Aborts when the service shuts down. */
  readonly shutdown: AbortSignal;
}

/** Splits and decodes a request's URL; `undefined` when it is malformed. */
function parseUrl(url: string): { path: string; query: URLSearchParams } | undefined {
  const at = url.indexOf('?');
  try {
    const path = decodeURIComponent(at < 0 ? url : url.slice(0, at));
    if (!path.startsWith('/')) return undefined;
    return { path, query: parseQuery(at < 0 ? '' : url.slice(at + 1)) };
  } catch {
    return undefined;
  }
}

/** Serves one request to its end. Never throws and never rejects: what went wrong becomes an answer, or a log entry. */
export async function serveRequest(
  services: RequestServices,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parsed = parseUrl(request.url ?? '/');
  if (parsed === undefined) {
    response.statusCode = 400;
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.setHeader('Connection', 'close');
    response.end('400 Bad Request');
    return;
  }
  const begunMillis = performance.now();
  const info = parseRequestInfo(request.method ?? 'GET', parsed.path, parsed.query);
  const exchange = new OpenExchange(request, response, {
    info,
    query: parsed.query,
    makeSignal: () => makeEndSignal(response, services.shutdown),
  });
  const { registry } = services.resources.services;
  const connect = services.resources.findConnectHandler(info);
  const isKnown =
    connect !== undefined || findTarget(registry, info.apiGroup, info.apiVersion, info.resource) !== undefined;
  services.metrics.track(exchange, isKnown);
  let timer: NodeJS.Timeout | undefined;
  try {
    if (info.fault !== undefined) throw new UnreadableRequestError(info.fault);
    // Who passes a request on bounds it by what it asks for.
    const isUnbounded = connect !== undefined || isLongRunning(info);
    const timeoutMillis = isUnbounded ? undefined : readTimeoutMillis(exchange.query);
    if (timeoutMillis !== undefined) timer = startTimer(exchange, timeoutMillis);
    await authenticate(services, exchange);
    // Whoever was told meanwhile that the time is over takes no seat.
    if (response.headersSent) return;
    if (services.flow !== undefined) {
      const elapsedMillis = performance.now() - begunMillis;
      const waiting = passFlowControl(services.flow, exchange, { elapsedMillis, timeoutMillis });
      // Most need not wait, and are not made to.
      if (waiting !== undefined) await waiting;
    }
    await authorize(services, exchange);
    await route(services, exchange);
  } catch (error) {
    await answerError(services.logger, exchange, error);
  } finally {
    clearTimeout(timer);
    exchange.flow?.end();
    logRequest(services.logger, exchange, performance.now() - begunMillis);
  }
}

/** How long a request may take. Throws 400. */
function readTimeoutMillis(query: URLSearchParams): number {
  const timeout = parseTimeout(query);
  if (typeof timeout === 'number') return timeout;
  throw makeBadRequestError(`invalid timeout specified in the request URL - ${timeout.fault}`);
}

/** Answers the request when its time is over. */
function startTimer(exchange: Exchange, timeoutMillis: number): NodeJS.Timeout {
  return setTimeout(() => void endInTime(exchange).catch(() => undefined), timeoutMillis);
}

async function authenticate(
  { authenticator, authorizer, resources, audits }: RequestServices,
  exchange: Exchange,
): Promise<void> {
  const { request } = exchange;
  const receivedMillis = resources.services.now();
  const result = await authenticator.authenticate(
    readAuthenticationRequest(request, receivedMillis, exchange.info.path),
  );
  const user = result.authenticated ? result.user : undefined;
  if (audits) exchange.audit = RequestAudit.begin(audits, exchange, user, receivedMillis);
  if (!result.authenticated) throw makeUnauthorizedError();
  exchange.user = asksToImpersonate(request.headers)
    ? await impersonate(result.user, request.headersDistinct, authorizer)
    : result.user;
  if (exchange.user !== result.user) exchange.audit?.recordImpersonation(exchange.user);
}

async function authorize({ authorizer }: RequestServices, exchange: Exchange): Promise<void> {
  const attributes = makeAuthorizationAttributes(exchange.info);
  const { allowed, reason } = await authorizer.authorize(exchange.user, attributes);
  exchange.auditAnnotations.set('authorization.k8s.io/decision', allowed ? 'allow' : 'forbid');
  exchange.auditAnnotations.set('authorization.k8s.io/reason', reason);
  if (allowed) return;
  exchange.response.setHeader('X-Content-Type-Options', 'nosniff');
  throw makeAuthorizationDeniedError(exchange.user, attributes, reason);
}

async function route(services: RequestServices, exchange: Exchange): Promise<void> {
  if (exchange.info.isResourceRequest) return routeResource(services.resources, services.authorizer, exchange);
  return servePlainPath(services, exchange);
}
