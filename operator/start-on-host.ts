import { X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { listExcludedNamespaces } from '../admission/registrations/plan-registrations.ts';
import { readNodeTaintKeys } from '../kinds/core/node/node-taint-keys.ts';
import { buildKindRegistry } from '../kinds/registry.ts';
import type { CertificateSource } from '../platform/certificates/certificate-source.ts';
import {
  followTls,
  makeConstantAuthorities,
  makeConstantCertificate,
  readTls,
} from '../platform/certificates/serve-tls.ts';
import { EventRecorder } from '../platform/kube/event-recorder.ts';
import { LeaderElection } from '../platform/kube/leader-election.ts';
import { openHostConnection } from '../platform/kube/open-host-connection.ts';
import { boundBufferGarbage } from '../platform/process/garbage-bound.ts';
import type { HealthCheck } from '../platform/process/health-check.ts';
import { startHealthServer } from '../platform/process/health-server.ts';
import { createMetricsRegistry } from '../platform/process/metrics.ts';
import { StartError } from '../platform/process/start-error.ts';
import { findReleaseNamespace } from '../platform/release/find-release-namespace.ts';
import { buildReleaseNames } from '../platform/release/release-names.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import type { HostConfig } from './bootstrap/operator-flags.ts';
import type { Controller } from './controllers/controller-parts.ts';
import { AgentCertificatesController } from './controllers/agent-certificates/agent-certificates-controller.ts';
import { preparePki } from './bootstrap/pki/prepare-pki.ts';
import { formatServerUrl, listServingNames } from './bootstrap/serving-names.ts';
import { writeKubeconfig } from './bootstrap/write-kubeconfig.ts';
import { buildHostDisruption } from './controllers/disruption/build-disruption.ts';
import { DanglingConditionController } from './controllers/flow-control/dangling-condition-controller.ts';
import { EnforcedConditionsController } from './controllers/flow-control/enforced-conditions-controller.ts';
import { FollowedFlowConfiguration } from './controllers/flow-control/followed-flow-configuration.ts';
import { KeptFlowObjectsController } from './controllers/flow-control/kept-flow-objects-controller.ts';
import { buildHostTypeChecking } from './controllers/policies/build-host-type-checking.ts';
import { buildNodeLifecycle } from './controllers/node-lifecycle/build-node-lifecycle.ts';
import { buildHostQuota } from './controllers/quota/build-host-quota.ts';
import { ClaimWatch } from './controllers/quota/claim-watch.ts';
import { openHostAgentTrust } from './agent-trust/host-agent-trust.ts';
import { createCheckpointHandlers } from './agents/create-checkpoint-handlers.ts';
import { buildApiService } from './apiserver/build-api-service.ts';
import { buildFlowControl } from './apiserver/flow-control/build-flow-control.ts';
import { RequestMetrics } from './apiserver/http/request-metrics.ts';
import { AccessReviewAuthorizer } from './host/access-review-authorizer.ts';
import { FollowedFrontProxy } from './host/aggregated/follow-front-proxy.ts';
import { FrontProxyAuthenticator } from './host/aggregated/front-proxy-authenticator.ts';
import { buildHostReviewServices } from './host/aggregated/host-review-services.ts';
import { buildReviewResources } from './host/aggregated/review-resources.ts';
import { CallerAuthenticator } from './host/authenticate-caller.ts';
import { buildHostService } from './host/build-host-service.ts';
import { createHostCheck, createServingCheck } from './host/health-checks.ts';
import { leadControllers } from './host/lead-controllers.ts';
import { createSelfReader } from './host/read-self.ts';
import { readCertificateSettings, startRelease } from './host/start-release.ts';
import { TokenReviewAuthenticator } from './host/token-review-authenticator.ts';
import { createFlowReviewHandler } from './review/create-flow-review-handler.ts';
import { createReviewHandlers } from './review/create-review-handlers.ts';
import type { ProgramParts, StartedService } from './started-service.ts';

const userAgent = 'bailiwick-operator/0.1';
/** Name of what belongs to no release, such as the Lease of an operator that runs from a laptop. */
const unreleasedName = 'bailiwick';

async function openConnection(options: Parameters<typeof openHostConnection>[0]) {
  try {
    return await openHostConnection(options);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    throw new StartError(`${(error as Error).message}${cause}`, { cause: error });
  }
}

/** Starts the API service before a host, and what its leader does. Throws a StartError for what the user can mend. */
export async function startOnHost(config: HostConfig, program: ProgramParts): Promise<StartedService> {
  const { shutdown, logger, clock } = program;
  shutdown.add('garbage bound', boundBufferGarbage());
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o700 });
  const metrics = createMetricsRegistry();
  const connection = await openConnection({
    ...(config.kubeconfig === undefined ? {} : { kubeconfig: config.kubeconfig }),
    ...{ clock, logger, metrics, userAgent },
  });
  shutdown.add('host connection', () => connection.close());
  const registry = buildKindRegistry(config.domain);
  const client = createHostResourceClient({ connection, registry, clock });
  const namespace = config.namespace ?? (await findReleaseNamespace());
  const names = buildReleaseNames(config.release ?? unreleasedName, namespace);

  const events = new EventRecorder({
    ...{ client, clock, logger, registry },
    component: 'bailiwick-operator',
    instance: hostname(),
  });
  shutdown.add('events', () => events.close());
  const parts = { client, clock, logger, registry, events, metrics };
  const release =
    config.release === undefined
      ? undefined
      : startRelease({ ...parts, config, release: config.release, namespace, names }, program);
  const election = new LeaderElection({
    // A request that hangs must not cost the leadership.
    client: createHostResourceClient({ connection, registry, clock, requestTimeoutMillis: 5_000 }),
    ...{ clock, logger, metrics, namespace },
    name: names.leaderLease,
    identity: `${hostname()}_${crypto.randomUUID()}`,
  });
  const buildNodeControllers = (): Controller[] => {
    const { taintPrefix } = config.nodeLifecycle;
    const keys = readNodeTaintKeys(config.domain, taintPrefix);
    const { lifecycle, eviction } = buildNodeLifecycle({
      ...{ ...parts, keys, settings: config.nodeLifecycle },
      recordAs: () => events,
    });
    return [lifecycle, eviction];
  };
  const buildAgentControllers = (): Controller[] => [
    new AgentCertificatesController({
      ...{ client, clock, logger, metrics, domain: config.domain, settings: readCertificateSettings(config) },
      ...{ names, namespace, release: config.release ?? unreleasedName, cleansUp: false },
    }),
  ];
  const claims = new ClaimWatch({ client, clock, logger });
  shutdown.add('claims', () => claims.close());
  void claims.start();
  const flowParts = { client, clock, logger, domain: config.domain };
  const flowConfiguration = new FollowedFlowConfiguration(flowParts);
  shutdown.add('flow configuration', () => flowConfiguration.close());
  const lead = leadControllers({
    ...{ election, clock, logger },
    buildControllers: () => [
      ...(release?.buildControllers() ?? []),
      buildHostQuota({ ...parts, connection, claims, isLeading: () => election.isLeader }),
      buildHostTypeChecking({ ...parts, connection, domain: config.domain }),
      ...(config.watchesNodes ? buildNodeControllers() : []),
      ...(config.hasAgents ? buildAgentControllers() : []),
      new KeptFlowObjectsController(flowParts),
      new DanglingConditionController({ ...flowParts, configuration: flowConfiguration }),
      new EnforcedConditionsController({ ...flowParts, configuration: flowConfiguration }),
      buildHostDisruption({
        ...{ ...parts, connection, namespace },
        ...(release === undefined ? {} : { registered: release.registered }),
      }),
    ],
  });
  shutdown.add('leader', lead);

  const agentTrust = config.hasAgents
    ? await openHostAgentTrust({
        ...{ client, connection, clock, logger, names, namespace, domain: config.domain },
        file: config.agentAuthorityFile,
        readSelf: createSelfReader({ client, clock }),
      })
    : undefined;
  if (agentTrust !== undefined) shutdown.add('trust in agents', () => agentTrust.close());

  let certificates: CertificateSource | undefined;
  const ports: number[] = [];
  const serverName = release === undefined ? 'localhost' : `${names.operator}.${namespace}.svc`;
  const healthChecks: HealthCheck[] = [
    createHostCheck(connection),
    createServingCheck({
      address: config.address,
      ports,
      serverName,
      bundle: () => release?.certificate.readCallerBundle() ?? certificates?.current()?.bundle,
    }),
  ];
  if (config.healthPort !== 0) {
    const health = await startHealthServer({
      ...{ address: config.address, port: config.healthPort, checks: healthChecks, metrics, clock, logger },
    });
    shutdown.add('health', () => health.close());
  }

  const pki = await preparePki({
    directory: join(config.dataDirectory, 'pki'),
    subjectNames: listServingNames(hostname(), config.address),
    nowMillis: clock.now(),
  });
  // Whoever gives a kubeconfig is the one who starts the program; a pod is started by nobody in particular.
  const hasOwnClient = config.kubeconfig !== undefined;
  const { impersonatedClientsFile } = config;
  const impersonated = impersonatedClientsFile === undefined ? [] : [await readFile(impersonatedClientsFile, 'utf8')];
  const authorities = makeConstantAuthorities([...(hasOwnClient ? [pki.authority] : []), ...impersonated]);
  await release?.certificate.waitForCertificate(shutdown.signal);
  certificates = release?.certificate ?? makeConstantCertificate(pki.serving, pki.authority);
  const authorizer = new AccessReviewAuthorizer({ client, clock });
  const callers = new CallerAuthenticator({
    // A host without TLS is a proxy that puts its owner's credentials in place of the callers' tokens: nobody else may call through it.
    tokens: connection.serverUrl.startsWith('https:')
      ? new TokenReviewAuthenticator({
          ...{ client, clock },
          clientOf: (token) =>
            createHostResourceClient({
              ...{ connection, registry, clock, credentials: 'none' },
              headers: { authorization: `Bearer ${token}` },
            }),
        })
      : { authenticateToken: async () => undefined },
    authorizer,
    ...(hasOwnClient
      ? {
          ownClient: {
            sha256: readFingerprint(pki.administrator.certificate),
            user: createSelfReader({ client, clock }),
          },
        }
      : {}),
    impersonatesClients: impersonated.length > 0,
  });
  const { domain, totalSeats } = config;
  const flowControl = buildFlowControl({ clock, metrics, domain, totalSeats });
  shutdown.add('flow control', flowControl.dispatcher.startBorrowing());
  flowConfiguration.subscribe((configuration, classifier) => flowControl.configure(configuration, classifier));
  void flowConfiguration.start();
  const excluded = new Set(listExcludedNamespaces(namespace));
  const checkpoints =
    agentTrust &&
    createCheckpointHandlers({
      ...{ domain, client, clock, logger, namespace },
      trust: agentTrust,
      // A pod is alone on its loopback; a program that a person started is not.
      allowsLoopback: config.kubeconfig !== undefined,
    });
  if (checkpoints !== undefined) shutdown.add('connections to agents', async () => checkpoints.close());
  const reviews = buildReviewResources({
    ...{ registry, clock, hasAgents: config.hasAgents },
    handlers: [
      ...(checkpoints?.handlers ?? []),
      ...createReviewHandlers(
        buildHostReviewServices({
          ...{ ...parts, connection, authorizer },
          isEnforced: (where) =>
            release === undefined || (release.enforcement.current() === 'Enforce' && !excluded.has(where)),
        }),
      ),
      createFlowReviewHandler({ flowControl, authorizer }),
    ],
  });
  const serving = {
    flowControl,
    authorizer,
    logger,
    metrics,
    requestMetrics: new RequestMetrics(metrics),
    healthChecks,
  };
  const service = buildHostService({
    ...{ ...serving, connection, callers, registry, clock, reviews },
    tls: readTls(certificates, authorities),
    ...{ address: config.address, port: config.port },
  });
  shutdown.add('certificate', followTls(service.server, certificates, authorities));
  shutdown.add('service', () => service.close());
  if (config.aggregatedPort !== 0) {
    const frontProxy = new FollowedFrontProxy({ client, clock, logger });
    shutdown.add('front proxy', () => frontProxy.close());
    // Nobody is believed until it is known whom the host lets speak for others.
    void frontProxy.start();
    const aggregated = buildApiService({
      ...{ ...serving, resources: reviews },
      authenticator: new FrontProxyAuthenticator(() => frontProxy.settings),
      tls: readTls(certificates, frontProxy.authorities),
      ...{ address: config.address, port: config.aggregatedPort },
    });
    shutdown.add(
      'certificate of the aggregated service',
      followTls(aggregated.server, certificates, frontProxy.authorities),
    );
    shutdown.add('aggregated service', () => aggregated.close());
    ports.push(await aggregated.listen());
  }
  const port = await service.listen();
  ports.push(port);
  const url = formatServerUrl(config.address, port);
  if (!hasOwnClient) return { url, kubeconfig: undefined };
  const kubeconfig = join(config.dataDirectory, 'kubeconfig');
  const authority = certificates.current()?.bundle ?? pki.authority;
  await writeKubeconfig(kubeconfig, { serverUrl: url, authority, client: pki.administrator });
  return { url, kubeconfig };
}

function readFingerprint(certificate: string): string {
  return new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();
}
