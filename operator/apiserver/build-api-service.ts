import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Authenticator } from './authn/authenticator.ts';
import type { Authorizer } from './authz/authorizer.ts';
import { DiscoveryDocuments } from './discovery/discovery-documents.ts';
import { OpenApiDocuments } from './discovery/openapi-documents.ts';
import type { HealthCheck } from '../../platform/process/health-check.ts';
import { buildHttpsListener, type TlsMaterial } from './http/https-listener.ts';
import { RequestMetrics } from './http/request-metrics.ts';
import { HealthEndpoints } from './http/serve-health.ts';
import { serveRequest } from './http/serve-request.ts';
import type { EmbeddedResources } from './pipeline/embedded-resources.ts';

export interface ApiServiceOptions {
  /** The verbs; plugins and handlers are installed there before this. */
  readonly resources: EmbeddedResources;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly tls: TlsMaterial;
  readonly logger: Logger;
  /** Where the service's metrics are registered and `/metrics` reads from. */
  readonly metrics: Registry;
  readonly healthChecks?: readonly HealthCheck[];
  /** Loopback unless given. */
  readonly address?: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** How long requests under way may take at shutdown, in milliseconds; absent means 10 s. Watches end at once. */
  readonly drainMillis?: number;
}

/** The running parts of an API service. */
export interface ApiService {
  /** Starts to listen; resolves to the port. Rejects when the address is taken. */
  listen(): Promise<number>;
  /** Refuses new requests, ends watches, waits for requests under way, closes the listener. Never rejects. */
  close(): Promise<void>;
}

/** Builds the API service over a pipeline; nothing listens yet. */
export function buildApiService(options: ApiServiceOptions): ApiService {
  const { resources, logger } = options;
  const handlers = resources.listHandlers();
  const { registry } = resources.services;
  const listener = buildHttpsListener({
    ...options,
    serve: (request, response) => void serveRequest(services, request, response),
  });
  const shutdownCheck: HealthCheck = {
    name: 'shutdown',
    readinessOnly: true,
    check: async () => (listener.closing.aborted ? 'the service is shutting down' : undefined),
  };
  const services = {
    resources,
    authenticator: options.authenticator,
    authorizer: options.authorizer,
    logger,
    registry: options.metrics,
    metrics: new RequestMetrics(options.metrics),
    health: new HealthEndpoints([...(options.healthChecks ?? []), shutdownCheck], logger),
    discovery: new DiscoveryDocuments(registry, handlers),
    openApi: new OpenApiDocuments(registry, handlers),
    shutdown: listener.closing,
  };
  return { listen: () => listener.listen(), close: () => listener.close() };
}
