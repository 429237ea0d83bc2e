import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { KindRegistry } from '../../kinds/registry.ts';
import type { TlsMaterial } from '../../platform/certificates/serve-tls.ts';
import type { HostConnection } from '../../platform/kube/host-connection.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { HealthCheck } from '../../platform/process/health-check.ts';
import type { Authorizer } from '../apiserver/authz/authorizer.ts';
import { buildRequestServices } from '../apiserver/build-api-service.ts';
import type { FlowControl } from '../apiserver/flow-control/flow-control.ts';
import type { EmbeddedResources } from '../apiserver/pipeline/embedded-resources.ts';
import { buildHttpsListener, type HttpsListener } from '../apiserver/http/https-listener.ts';
import type { RequestMetrics } from '../apiserver/http/request-metrics.ts';
import { HealthEndpoints } from '../apiserver/http/serve-health.ts';
import type { CallerAuthenticator } from './authenticate-caller.ts';
import { HostDiscoveryDocuments } from './host-discovery.ts';
import { HostOpenApi } from './host-openapi.ts';
import { serveHostRequest, type HostServices } from './serve-host-request.ts';

export interface HostServiceOptions {
  readonly connection: HostConnection;
  readonly callers: CallerAuthenticator;
  readonly registry: KindRegistry;
  readonly tls: TlsMaterial;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where the service's metrics are registered. */
  readonly metrics: Registry;
  readonly requestMetrics: RequestMetrics;
  /** The pipeline of what is answered here: our review kinds, and checkpoints where there are agents. */
  readonly reviews: EmbeddedResources;
  /** Decides for what is served here and not by the host. */
  readonly authorizer: Authorizer;
  readonly flowControl: FlowControl;
  readonly healthChecks: readonly HealthCheck[];
  readonly address: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/** Builds the API service that forwards to a host; nothing listens yet. */
export function buildHostService(options: HostServiceOptions): HttpsListener {
  const { connection, callers, registry, clock, logger } = options;
  const listener = buildHttpsListener({
    ...options,
    serve: (request, response) => serveHostRequest(services, request, response),
  });
  const shutdownCheck: HealthCheck = {
    name: 'shutdown',
    readinessOnly: true,
    check: async () => (listener.closing.aborted ? 'the service is shutting down' : undefined),
  };
  const served = { registry: options.reviews.services.registry, handlers: options.reviews.listHandlers() };
  const services: HostServices = {
    connection,
    callers,
    registry,
    clock,
    logger,
    metrics: options.requestMetrics,
    health: new HealthEndpoints([...options.healthChecks, shutdownCheck], logger),
    discovery: new HostDiscoveryDocuments(registry, served),
    openApi: new HostOpenApi(registry, served),
    reviews: buildRequestServices(
      { ...options, resources: options.reviews, authenticator: callers.asAuthenticator() },
      listener.closing,
    ),
    closing: listener.closing,
  };
  return listener;
}
