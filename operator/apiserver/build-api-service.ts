import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AuditServices } from './audit/request-audit.ts';
import type { Authenticator } from './authn/authenticator.ts';
import type { Authorizer } from './authz/authorizer.ts';
import type { FlowControl } from './flow-control/flow-control.ts';
import { NameAudience } from './flow-control/name-audience.ts';
import { DiscoveryDocuments } from './discovery/discovery-documents.ts';
import { OpenApiDocuments } from './discovery/openapi-documents.ts';
import type { HealthCheck } from '../../platform/process/health-check.ts';
import { systemMonotonicClock } from '../../platform/process/monotonic-clock.ts';
import type { TlsMaterial } from '../../platform/certificates/serve-tls.ts';
import { buildHttpsListener, type HttpsListener } from './http/https-listener.ts';
import { RequestMetrics } from './http/request-metrics.ts';
import { HealthEndpoints } from './http/serve-health.ts';
import { serveRequest, type RequestServices } from './http/serve-request.ts';
import type { EmbeddedResources } from './pipeline/embedded-resources.ts';

/** What answers requests, however they come in. */
export interface RequestServicesOptions {
  /** The verbs; plugins and handlers are installed there before this. */
  readonly resources: EmbeddedResources;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  /** What `/metrics` reads from. */
  readonly metrics: Registry;
  /** Where requests are counted; absent: metrics of one's own, registered there. */
  readonly requestMetrics?: RequestMetrics;
  /** Absent: every request is served at once. */
  readonly flowControl?: FlowControl | undefined;
  readonly healthChecks?: readonly HealthCheck[];
  /** Absent: no request is recorded. */
  readonly audits?: AuditServices | undefined;
}

export interface ApiServiceOptions extends RequestServicesOptions {
  readonly tls: TlsMaterial;
  /** Loopback unless given. */
  readonly address?: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** How long requests under way may take at shutdown, in milliseconds; absent means 10 s. Watches end at once. */
  readonly drainMillis?: number;
}

/** Builds what serves requests until `closing` aborts: readiness and watches end by that. */
export function buildRequestServices(options: RequestServicesOptions, closing: AbortSignal): RequestServices {
  const { resources, logger, metrics, authorizer, flowControl } = options;
  const requestMetrics = options.requestMetrics ?? new RequestMetrics(metrics);
  const handlers = resources.listHandlers();
  const { registry } = resources.services;
  const shutdownCheck: HealthCheck = {
    name: 'shutdown',
    readinessOnly: true,
    check: async () => (closing.aborted ? 'the service is shutting down' : undefined),
  };
  closing.addEventListener('abort', () => void flowControl?.refuseWaiting(), { once: true });
  return {
    resources,
    authenticator: options.authenticator,
    authorizer,
    flow: flowControl && {
      flowControl,
      audience: new NameAudience({ authorizer, domain: flowControl.domain, clock: systemMonotonicClock }),
      noteWaiting: (exchange, change) => requestMetrics.noteWaiting(exchange, change),
    },
    logger,
    registry: metrics,
    metrics: requestMetrics,
    audits: options.audits,
    health: new HealthEndpoints([...(options.healthChecks ?? []), shutdownCheck], logger),
    discovery: new DiscoveryDocuments(registry, handlers),
    openApi: new OpenApiDocuments(registry, handlers),
    shutdown: closing,
  };
}

/** Builds the API service over a pipeline; nothing listens yet. */
export function buildApiService(options: ApiServiceOptions): HttpsListener {
  const listener = buildHttpsListener({
    ...options,
    serve: (request, response) => serveRequest(services, request, response),
  });
  const services = buildRequestServices(options, listener.closing);
  return listener;
}
