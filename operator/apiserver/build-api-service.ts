import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Authenticator } from './authn/authenticator.ts';
import type { Authorizer } from './authz/authorizer.ts';
import { DiscoveryDocuments } from './discovery/discovery-documents.ts';
import { OpenApiDocuments } from './discovery/openapi-documents.ts';
import type { HealthCheck } from './http/health-check.ts';
import { RequestMetrics } from './http/request-metrics.ts';
import { HealthEndpoints } from './http/serve-health.ts';
import { serveRequest } from './http/serve-request.ts';
import type { EmbeddedResources } from './pipeline/embedded-resources.ts';

/** Certificate of the API service and the authority of client certificates, as PEM texts. */
export interface TlsMaterial {
  readonly certificate: string;
  readonly privateKey: string;
  /** Client certificates that chain to it identify users; absent: none are asked for. */
  readonly clientAuthority?: string;
}

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

const DEFAULT_DRAIN_MILLIS = 10_000;
/** Go's client keeps idle connections for 90 s; a server that closes earlier fails its next POST. */
const KEEP_ALIVE_MILLIS = 120_000;
const HEADERS_TIMEOUT_MILLIS = 32_000;
const REQUEST_TIMEOUT_MILLIS = 120_000;
const MAX_HEADER_BYTES = 64 * 1024;

function listen(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function drain(server: Server, drainMillis: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainMillis);
  await closed;
  clearTimeout(timer);
}

/** Builds the API service over a pipeline; nothing listens yet. */
export function buildApiService(options: ApiServiceOptions): ApiService {
  const { resources, logger, tls } = options;
  const handlers = resources.listHandlers();
  const { registry } = resources.services;
  const shutdown = new AbortController();
  const shutdownCheck: HealthCheck = {
    name: 'shutdown',
    readinessOnly: true,
    check: async () => (shutdown.signal.aborted ? 'the service is shutting down' : undefined),
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
    shutdown: shutdown.signal,
  };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((request, response) => {
    if (shutdown.signal.aborted) response.setHeader('Connection', 'close');
    void serveRequest(services, request, response);
  });
  const server = createServer(
    {
      cert: tls.certificate,
      key: tls.privateKey,
      ...(tls.clientAuthority === undefined
        ? {}
        : { ca: tls.clientAuthority, requestCert: true, rejectUnauthorized: false }),
      ALPNProtocols: ['http/1.1'],
      keepAlive: true,
      keepAliveTimeout: KEEP_ALIVE_MILLIS,
      handshakeTimeout: HEADERS_TIMEOUT_MILLIS,
      headersTimeout: HEADERS_TIMEOUT_MILLIS,
      requestTimeout: REQUEST_TIMEOUT_MILLIS,
      maxHeaderSize: MAX_HEADER_BYTES,
      noDelay: true,
    },
    app,
  );
  server.on('tlsClientError', (error) => logger.debug({ err: error }, 'a TLS handshake failed'));
  let isListening = false;
  return {
    listen: async () => {
      const port = await listen(server, options.port, options.address ?? '127.0.0.1');
      isListening = true;
      return port;
    },
    close: async () => {
      shutdown.abort();
      if (!isListening) return;
      isListening = false;
      await drain(server, options.drainMillis ?? DEFAULT_DRAIN_MILLIS);
    },
  };
}
