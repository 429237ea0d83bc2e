import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nameAgentsBundle } from '../platform/agents/agent-identity.ts';
import type { Clock } from '../platform/process/clock.ts';
import { HealthPages, startHealthServer } from '../platform/process/health-server.ts';
import type { Logger } from '../platform/process/logger.ts';
import { createMetricsRegistry, type Registry } from '../platform/process/metrics.ts';
import type { Shutdown } from '../platform/process/shutdown.ts';
import { StartError } from '../platform/process/start-error.ts';
import { buildRequestGuard } from './access/build-request-guard.ts';
import { followClientAuthorities } from './access/follow-client-authorities.ts';
import { openServingCertificate } from './certificates/open-serving-certificate.ts';
import { reportKernel } from './check/run-kernel-check.ts';
import { Checkpoints } from './checkpoint/checkpoints.ts';
import type { AgentConfiguration } from './config/agent-configuration.ts';
import type { AgentFlags } from './config/agent-flags.ts';
import { maskConfiguration } from './config/idle-fields.ts';
import { loadConfiguration, type LoadedConfiguration } from './config/load-configuration.ts';
import { connectContainerRuntime } from './cri/connect-container-runtime.ts';
import type { ContainerRuntime } from './cri/container-runtime.ts';
import { parseRuntimeEndpoint } from './cri/parse-runtime-endpoint.ts';
import { acquireLock } from './presence/acquire-lock.ts';
import { createServiceNotifier } from './presence/service-notifier.ts';
import { startWatchdog } from './presence/watchdog.ts';
import { type AgentProgress, makeHealthChecks, makeLivenessChecks } from './program/agent-checks.ts';
import { type AgentApi, hasApi } from './program/open-api.ts';
import { ServedAddresses } from './program/served-addresses.ts';
import { AgentServer } from './server/agent-server.ts';
import { buildArchiveRoutes } from './server/archive-routes.ts';
import { buildCheckpointRoute } from './server/checkpoint-route.ts';
import { buildHealthRoutes } from './server/health-routes.ts';
import { makePodLister } from './server/list-pods.ts';
import { buildNodeRoutes } from './server/node-routes.ts';
import { RequestMetrics } from './server/request-metrics.ts';
import type { Route } from './server/route.ts';
import { serveRequests } from './server/serve-requests.ts';
import { type HostFiles, openHostFiles } from './status/host-files.ts';
import { NodeStatusSource } from './status/node-status-source.ts';
import { registerPressureMetrics } from './status/pressure-metrics.ts';

/** What the program gives its parts. */
export interface AgentProgram {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
  /** Ends the program in order, with this status. */
  readonly end: (code: number) => void;
}

/** What the parts are made of. */
interface Parts extends AgentProgram, LoadedConfiguration {
  readonly flags: AgentFlags;
  readonly metrics: Registry;
  readonly files: HostFiles;
  readonly runtime: ContainerRuntime;
  /** `undefined`: the agent stands alone. */
  readonly api: AgentApi | undefined;
  readonly progress: AgentProgress;
}

/** Answers that are still under way when the server ends: checkpoints have come to their end by then. */
const drainMillis = 5_000;
/** Longer than an agent takes to end whose checkpoints are under way. */
const rootLockMillis = 60_000;

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

async function lockFile(flags: AgentFlags, { clock, logger, shutdown, end }: AgentProgram): Promise<void> {
  const { lockFile: path, exitOnLockContention } = flags;
  if (path === undefined) return;
  const lock = await acquireLock({
    ...{ path, clock, logger },
    ...(exitOnLockContention ? { onContention: () => end(0) } : {}),
    onLost: () => end(1),
  });
  shutdown.add('lock file', () => lock.release());
}

/** Makes the root directory, and keeps other agents off it: two would take each other's dumps for interrupted ones. */
async function lockRoot({ rootDir }: AgentFlags, { clock, logger, shutdown, end }: AgentProgram): Promise<void> {
  await mkdir(rootDir, { recursive: true, mode: 0o750 });
  const path = join(rootDir, '.lock');
  const lock = await acquireLock({ path, waitMillis: rootLockMillis, clock, logger, onLost: () => end(1) });
  shutdown.add('lock of the root directory', () => lock.release());
}

/** Loaded late: an agent that stands alone does without. */
async function connectApi(flags: AgentFlags, program: AgentProgram, metrics: Registry): Promise<AgentApi | undefined> {
  const { clock, logger, shutdown } = program;
  if (!hasApi(flags, process.env)) {
    if (flags.mode === 'owner') logger.warn('the mode owner has no API to register a node at');
    logger.info('runs without an API: client certificates alone are believed, and no Lease is kept');
    return undefined;
  }
  const { openApi } = await import('./program/open-api.ts');
  const api = await openApi(flags, { clock, logger, metrics });
  shutdown.add('connection to the API', () => api.close());
  return api;
}

function buildRoutes(parts: Parts, checkpoints: Checkpoints, health: HealthPages): Route[] {
  const { configuration, document, flags, runtime, clock, progress } = parts;
  const routes = [
    ...buildHealthRoutes(health),
    ...buildNodeRoutes({
      configuration: maskConfiguration(document),
      listPods: makePodLister(runtime, flags.nodeName),
      async readNode() {
        if (progress.status === undefined) throw new Error('the status is asked for before anything listens');
        return progress.status.readNode();
      },
    }),
  ];
  if (!configuration.gates.isEnabled('ContainerCheckpoint')) return routes;
  return [
    ...routes,
    buildCheckpointRoute({ checkpoints, clock }),
    ...buildArchiveRoutes({ checkpoints, domain: flags.domain, clock }),
  ];
}

/** A server that is ready to listen; its certificate and the authorities of its clients stay current until the program ends. */
async function makeServer(parts: Parts, addresses: ServedAddresses) {
  const { configuration, flags, api, clock, logger, metrics, shutdown } = parts;
  const { nodeName, domain, certDir } = flags;
  const client = api?.client;
  const certificates = await openServingCertificate({
    configuration: {
      ...configuration,
      serverTlsBootstrap:
        configuration.serverTlsBootstrap && configuration.gates.isEnabled('RotateKubeletServerCertificate'),
    },
    ...{ certDir, nodeName, addresses: addresses.current, domain, client, clock, logger, metrics },
    ...(api === undefined ? {} : { authorities: { namespace: api.namespace, name: nameAgentsBundle(domain) } }),
  });
  shutdown.add('serving certificate', () => certificates.close());
  const { clientCaFile: file } = configuration.authentication.x509;
  if (file === undefined && client === undefined) {
    logger.warn('nobody can be let in: there is no API to ask, and no authority of client certificates');
  }
  const authorities = await followClientAuthorities({ file, clock, logger });
  shutdown.add('authorities of clients', () => authorities.close());
  const guard = buildRequestGuard({
    ...{ configuration, nodeName, domain, client, clientAuthorities: authorities, clock, logger, metrics },
  });
  const server = new AgentServer({
    ...{ address: configuration.address, port: configuration.port, certificates, authorities, clock, logger },
    negotiation: {
      minVersion: configuration.tlsMinVersion,
      ...(configuration.tlsCipherSuites.length === 0 ? {} : { ciphers: configuration.tlsCipherSuites.join(':') }),
    },
    drainMillis,
  });
  return { server, guard };
}

/** Where others reach the agent. */
function formatUrl(address: string, port: number): string {
  return `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

async function tellPresence(
  parts: Parts,
  status: NodeStatusSource,
  readEndpoint: () => string | undefined,
): Promise<void> {
  const { api, flags, configuration, clock, logger, metrics, shutdown } = parts;
  if (api === undefined) return;
  const { startPresence } = await import('./presence/start-presence.ts');
  const presence = startPresence({
    ...{ mode: flags.mode, domain: flags.domain, namespace: api.namespace, readEndpoint, client: api.client },
    ...{ status, configuration, clock, logger, metrics },
  });
  shutdown.add('presence', () => presence.stop());
}

/** Starts everything; resolves to the URL when requests are answered. Throws a StartError for what the user can mend. */
export async function startAgent(flags: AgentFlags, program: AgentProgram): Promise<string> {
  const { clock, logger, shutdown } = program;
  const { nodeName, rootDir, mode } = flags;
  const loaded = await loadConfiguration(flags);
  const { configuration, idleFields } = loaded;
  if (idleFields.length > 0) logger.warn({ fields: idleFields }, 'fields of the configuration have no effect yet');
  await lockFile(flags, program);
  await lockRoot(flags, program);

  const progress: AgentProgress = { server: undefined, status: undefined };
  const notifier = createServiceNotifier({ environment: process.env, logger });
  const watchdog = startWatchdog({
    ...{ environment: process.env, processId: process.pid, notifier, clock, logger },
    isEnabled: configuration.gates.isEnabled('SystemdWatchdog'),
    checks: makeLivenessChecks(progress),
  });
  if (watchdog !== undefined) shutdown.add('watchdog', () => watchdog.stop());

  const metrics = createMetricsRegistry();
  const files = openHostFiles();
  if (configuration.gates.isEnabled('KubeletPSI')) registerPressureMetrics({ files, metrics });
  await reportKernel({ files, skipNftablesVersionCheck: configuration.nftables.skipKernelVersionCheck, logger });
  const api = await connectApi(flags, program, metrics);
  const runtime = await connectRuntime(configuration);
  shutdown.add('container runtime', () => runtime.close());
  const parts: Parts = { ...program, ...loaded, flags, metrics, files, runtime, api, progress };

  const health = { checks: makeHealthChecks({ progress, runtime, ending: shutdown.signal }), metrics, clock, logger };
  if (configuration.healthzPort !== 0) {
    const { healthzBindAddress: address, healthzPort: port } = configuration;
    const server = await startHealthServer({ ...health, address, port });
    shutdown.add('health', () => server.close());
  }
  const nodeIps = mode === 'owner' ? flags.nodeIps : [];
  const addresses = await ServedAddresses.open({ address: configuration.address, nodeIps, files, clock });
  shutdown.add('addresses', () => addresses.close());
  const { server, guard } = await makeServer(parts, addresses);
  shutdown.add('server', () => server.close());
  const checkpoints = await Checkpoints.start({
    ...{ folder: join(rootDir, 'checkpoints'), nodeName, runtime, settings: configuration.checkpoints },
    ...{ requestTimeoutMillis: configuration.runtimeRequestTimeoutMillis, clock, logger, metrics },
  });
  // Ends before the server, so that those whose checkpoint comes to its end hear of it.
  shutdown.add('checkpoints', () => checkpoints.stop());

  const routes = buildRoutes(parts, checkpoints, new HealthPages(health));
  const port = await server.listen(serveRequests({ routes, guard, metrics: new RequestMetrics(metrics), logger }));
  const status = new NodeStatusSource({
    ...{ files, runtime, nodeName, nodeIps: flags.nodeIps, checkNodeIps: mode === 'owner', rootDir, port },
    ...{ configuration, clock, logger },
  });
  progress.status = status;
  progress.server = server;

  await tellPresence(parts, status, () => {
    const [reached] = addresses.current();
    return reached === undefined ? undefined : formatUrl(reached, port);
  });
  shutdown.add('service manager', () => notifier.stopping());
  await notifier.ready();
  return formatUrl(configuration.address, port);
}
