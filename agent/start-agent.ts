import { mkdir } from 'node:fs/promises';
import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import { makeConstantCertificate } from '../platform/certificates/serve-tls.ts';
import type { Clock } from '../platform/process/clock.ts';
import type { HealthCheck } from '../platform/process/health-check.ts';
import { HealthPages, startHealthServer } from '../platform/process/health-server.ts';
import type { Logger } from '../platform/process/logger.ts';
import { createMetricsRegistry } from '../platform/process/metrics.ts';
import type { Shutdown } from '../platform/process/shutdown.ts';
import { StartError } from '../platform/process/start-error.ts';
import { buildRequestGuard } from './access/build-request-guard.ts';
import { followClientAuthorities } from './access/follow-client-authorities.ts';
import type { AgentConfiguration } from './config/agent-configuration.ts';
import type { AgentFlags } from './config/agent-flags.ts';
import { maskConfiguration } from './config/idle-fields.ts';
import { loadConfiguration } from './config/load-configuration.ts';
import { connectContainerRuntime } from './cri/connect-container-runtime.ts';
import type { ContainerRuntime } from './cri/container-runtime.ts';
import { parseRuntimeEndpoint } from './cri/parse-runtime-endpoint.ts';
import { AgentServer } from './server/agent-server.ts';
import { buildHealthRoutes } from './server/health-routes.ts';
import { makePodLister } from './server/list-pods.ts';
import { buildNodeRoutes } from './server/node-routes.ts';
import { RequestMetrics } from './server/request-metrics.ts';
import { serveRequests } from './server/serve-requests.ts';

/** What every part of the program is given. */
export interface AgentProgram {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
}

const drainMillis = 10_000;
const dayMillis = 86_400_000;

function readSocket(endpoint: string): string {
  const parsed = parseRuntimeEndpoint(endpoint);
  if ('error' in parsed) throw new StartError(`${endpoint}: ${parsed.error}`);
  return parsed.socketPath;
}

function connectRuntime(configuration: AgentConfiguration): Promise<ContainerRuntime> {
  return connectContainerRuntime({
    runtimeSocket: readSocket(configuration.containerRuntimeEndpoint),
    imageSocket: readSocket(configuration.imageServiceEndpoint),
    timeoutMillis: configuration.runtimeRequestTimeoutMillis,
  });
}

function makeChecks(shutdown: Shutdown): HealthCheck[] {
  return [
    {
      name: 'serving',
      readinessOnly: true,
      check: async () => (shutdown.signal.aborted ? 'about to end' : undefined),
    },
  ];
}

/** Starts everything; resolves to the URL when requests are answered. Throws a StartError for what the user can mend. */
export async function startAgent(flags: AgentFlags, program: AgentProgram): Promise<string> {
  const { clock, logger, shutdown } = program;
  const { configuration, document, idleFields } = await loadConfiguration(flags);
  if (idleFields.length > 0) logger.warn({ fields: idleFields }, 'fields of the configuration have no effect yet');
  const metrics = createMetricsRegistry();
  await mkdir(flags.rootDir, { recursive: true, mode: 0o750 });

  const runtime = await connectRuntime(configuration);
  shutdown.add('container runtime', () => runtime.close());

  const made = await makeCertificate({
    ...{ commonName: flags.nodeName, purpose: 'server', subjectNames: [flags.nodeName, '127.0.0.1'] },
    ...{ notBeforeMillis: clock.now() - 300_000, notAfterMillis: clock.now() + 365 * dayMillis },
  });
  const certificates = makeConstantCertificate(made, made.certificate);
  const authorities = await followClientAuthorities({
    ...{ file: configuration.authentication.x509.clientCaFile, clock, logger },
  });
  shutdown.add('authorities of clients', () => authorities.close());

  const health = { checks: makeChecks(shutdown), metrics, clock, logger };
  if (configuration.healthzPort !== 0) {
    const { healthzBindAddress: address, healthzPort: port } = configuration;
    const server = await startHealthServer({ ...health, address, port });
    shutdown.add('health', () => server.close());
  }
  const server = new AgentServer({
    ...{ address: configuration.address, port: configuration.port, certificates, authorities, clock, logger },
    negotiation: {
      minVersion: configuration.tlsMinVersion,
      ...(configuration.tlsCipherSuites.length === 0 ? {} : { ciphers: configuration.tlsCipherSuites.join(':') }),
    },
    drainMillis,
  });
  const guard = buildRequestGuard({
    ...{ configuration, nodeName: flags.nodeName, domain: flags.domain, client: undefined },
    ...{ clientAuthorities: authorities, clock, logger, metrics },
  });
  const routes = [
    ...buildHealthRoutes(new HealthPages(health)),
    ...buildNodeRoutes({
      configuration: maskConfiguration(document),
      listPods: makePodLister(runtime, flags.nodeName),
      readNode: async () => ({ kind: 'Node', apiVersion: 'v1', metadata: { name: flags.nodeName } }),
    }),
  ];
  const listener = serveRequests({ routes, guard, metrics: new RequestMetrics(metrics), logger });
  const port = await server.listen(listener);
  shutdown.add('server', () => server.close());
  const { address } = configuration;
  return `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
