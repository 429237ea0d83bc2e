import { mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import type { AdmissionPlugin } from '../admission/admission-plugin.ts';
import { DefaultIngressClass } from '../admission/default-ingress-class.ts';
import { readBudgets } from '../admission/eviction/budget-source.ts';
import { ImpossibleBudgetPlugin } from '../admission/eviction/impossible-budget-plugin.ts';
import { openEvictions } from '../admission/eviction/open-evictions.ts';
import { readLimitRanges } from '../admission/limits/limit-range-source.ts';
import { NamespaceLifecycle } from '../admission/namespace-lifecycle.ts';
import { DefaultTolerations } from '../admission/default-tolerations.ts';
import { NewNodeTaint } from '../admission/new-node-taint.ts';
import { readQuotas } from '../admission/review/review-services.ts';
import type { UserInfo } from '../core/meta/user-info.ts';
import { readNodeTaintKeys } from '../kinds/core/node/node-taint-keys.ts';
import { buildKindRegistry } from '../kinds/registry.ts';
import { defaultCertificateSettings } from '../platform/certificates/certificate-facts.ts';
import { EventRecorder } from '../platform/kube/event-recorder.ts';
import { boundBufferGarbage } from '../platform/process/garbage-bound.ts';
import { createMetricsRegistry } from '../platform/process/metrics.ts';
import { buildReleaseNames } from '../platform/release/release-names.ts';
import { createLiveScaleSource, findRegisteredScale } from '../platform/scale/scale-sources.ts';
import { openSqliteStore } from '../platform/store/sqlite-store.ts';
import { openEmbeddedAgentTrust } from './agent-trust/embedded-agent-trust.ts';
import { createCheckpointHandlers } from './agents/create-checkpoint-handlers.ts';
import { openAudit } from './apiserver/audit/open-audit.ts';
import { RequestAuthenticator } from './apiserver/authn/request-authenticator.ts';
import { createIdentityReviewHandlers } from './apiserver/authn/reviews/identity-review-handlers.ts';
import { ServiceAccountTokens } from './apiserver/authn/service-account-tokens.ts';
import { parseTokenFile, StaticTokenAuthenticator } from './apiserver/authn/static-tokens.ts';
import { createTokenObjects } from './apiserver/authn/token-binding.ts';
import { createTokenRequestHandler } from './apiserver/authn/token-request-handler.ts';
import { EscalationPlugin } from './apiserver/authz/rbac/escalation-plugin.ts';
import { privilegedGroup, RbacAuthorizer } from './apiserver/authz/rbac/rbac-authorizer.ts';
import { RbacIndex } from './apiserver/authz/rbac/rbac-index.ts';
import { createAccessReviewHandlers } from './apiserver/authz/reviews/access-review-handlers.ts';
import { buildApiService } from './apiserver/build-api-service.ts';
import { buildFlowControl } from './apiserver/flow-control/build-flow-control.ts';
import { EmbeddedResources } from './apiserver/pipeline/embedded-resources.ts';
import type { EmbeddedConfig } from './bootstrap/operator-flags.ts';
import type { ControllerName } from './bootstrap/select-controllers.ts';
import { preparePki, prepareServiceAccountKey } from './bootstrap/pki/prepare-pki.ts';
import { prepareBootstrapObjects } from './bootstrap/prepare-bootstrap-objects.ts';
import { recordDomain } from './bootstrap/record-domain.ts';
import { formatServerUrl, listServingNames } from './bootstrap/serving-names.ts';
import { writeKubeconfig } from './bootstrap/write-kubeconfig.ts';
import { AgentCertificatesController } from './controllers/agent-certificates/agent-certificates-controller.ts';
import { ClusterRoleAggregationController } from './controllers/cluster-role-aggregation.ts';
import type { Controller } from './controllers/controller-parts.ts';
import { buildDefinitions } from './controllers/definitions/build-definitions.ts';
import { makeDefinitionHold } from './controllers/definitions/definition-hold.ts';
import { buildEmbeddedDisruption } from './controllers/disruption/build-disruption.ts';
import { DanglingConditionController } from './controllers/flow-control/dangling-condition-controller.ts';
import { FollowedFlowConfiguration } from './controllers/flow-control/followed-flow-configuration.ts';
import { KeptFlowObjectsController } from './controllers/flow-control/kept-flow-objects-controller.ts';
import { GarbageCollector } from './controllers/garbage/garbage-collector.ts';
import { listDeletable } from './controllers/namespace/list-deletable.ts';
import { NamespaceController } from './controllers/namespace/namespace-controller.ts';
import { namespaceResource } from './controllers/namespace/namespace-object.ts';
import { namespaceDeletionHold, namespaceFinalizeHandler } from './controllers/namespace/namespace-subresources.ts';
import { buildNodeLifecycle } from './controllers/node-lifecycle/build-node-lifecycle.ts';
import { buildLimits } from './controllers/quota/build-limits.ts';
import { RegistrySchemas } from './controllers/policies/registry-schemas.ts';
import { TypeCheckingController } from './controllers/policies/type-checking-controller.ts';
import { RootCaPublisher } from './controllers/root-ca-publisher.ts';
import { ServiceAccountController } from './controllers/service-account-controller.ts';
import { buildEmbeddedPolicies } from './policies/build-embedded-policies.ts';
import type { ProgramParts, StartedService } from './started-service.ts';
import { createFlowReviewHandler } from './review/create-flow-review-handler.ts';
import {
  askMayList,
  askMayListObjects,
  askMayListPolicies,
  createReviewHandlers,
  findRegisteredKind,
} from './review/create-review-handlers.ts';
import { createWorkloadHandlers } from './subresources/workload-handlers.ts';

const tokenIssuer = 'https://kubernetes.default.svc.cluster.local';
/** As whom the service itself acts. */
const serviceUser: UserInfo = { username: 'system:bailiwick', groups: [privilegedGroup] };
/** Of the service accounts and Secrets of node agents. */
const agentNamespace = 'kube-system';
const agentRelease = 'bailiwick';

/** Starts the API service on a store of its own, with every controller, and listens. Throws a StartError for what the user can mend. */
export async function startEmbedded(config: EmbeddedConfig, program: ProgramParts): Promise<StartedService> {
  const { shutdown, logger, clock } = program;
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o700 });
  const store = await openSqliteStore({
    file: join(config.dataDirectory, 'store.db'),
    onCompactionError: (error) => logger.warn({ err: error }, 'old history could not be given up, it is tried again'),
    onWriterEnd: (error) => {
      // Whoever started the service starts it again; one that can only read helps nobody.
      logger.fatal({ err: error }, 'the store can no longer write, the service ends');
      void shutdown.end().then(() => process.exit(1));
    },
  });
  shutdown.add('store', () => store.close());
  shutdown.add('garbage bound', boundBufferGarbage());
  await recordDomain(store, config.domain);
  const pkiDirectory = join(config.dataDirectory, 'pki');
  const pki = await preparePki({
    directory: pkiDirectory,
    subjectNames: listServingNames(hostname(), config.address),
    nowMillis: clock.now(),
  });

  const registry = buildKindRegistry(config.domain);
  const resources = new EmbeddedResources({ store, registry, now: () => clock.now(), collectsGarbage: true });
  const client = resources.clientFor(serviceUser);
  const parts = { client, clock, logger };

  const tokens = new ServiceAccountTokens({
    privateKey: await prepareServiceAccountKey(pkiDirectory),
    issuer: tokenIssuer,
    apiAudiences: [tokenIssuer],
    clock,
    objects: createTokenObjects(client),
  });
  const users = config.tokenFile === undefined ? undefined : parseTokenFile(await readFile(config.tokenFile, 'utf8'));
  const tokenAuthenticators = [
    ...(users === undefined ? [] : [new StaticTokenAuthenticator({ users, apiAudiences: [tokenIssuer] })]),
    tokens,
  ];

  const agentNames = buildReleaseNames(agentRelease, agentNamespace);
  const agentTrust = await openEmbeddedAgentTrust({
    ...{ ...parts, domain: config.domain, tokens, namespace: agentNamespace },
    ...{ secret: agentNames.agentsAuthority, file: config.agentAuthorityFile },
  });
  shutdown.add('trust in agents', () => agentTrust.close());

  const roles = new RbacIndex(store);
  shutdown.add('roles', () => roles.close());
  const authorizer = new RbacAuthorizer(roles);
  const limits = buildLimits({ ...parts, registry });
  const metrics = createMetricsRegistry();
  const { domain, totalSeats } = config;
  const flowControl = buildFlowControl({ clock, metrics, domain, totalSeats, stored: { store, registry } });
  shutdown.add('flow control', flowControl.dispatcher.startBorrowing());
  const policies = buildEmbeddedPolicies({ ...parts, registry, authorizer, metrics });
  const nodeKeys = readNodeTaintKeys(config.domain, config.nodeLifecycle.taintPrefix);
  const plugins: AdmissionPlugin[] = [
    new NamespaceLifecycle(client, (name) => resources.findLatest({ resource: namespaceResource, name })),
    new EscalationPlugin({ index: roles, authorizer }),
    policies.accessPlugin,
    new NewNodeTaint(nodeKeys),
    new DefaultTolerations(nodeKeys, config.nodeLifecycle),
    new DefaultIngressClass(client, config.domain),
    new ImpossibleBudgetPlugin({
      ...{ domain: config.domain, client, clock },
      scales: createLiveScaleSource(client, findRegisteredScale(registry)),
      onFailure: (error) =>
        logger.warn({ err: error }, 'the pods of a budget could not be read, nobody is warned of them'),
    }),
    ...limits.plugins,
    policies.plugin,
  ];
  const checkpoints = createCheckpointHandlers({
    ...{ ...parts, domain, trust: agentTrust, namespace: agentNamespace },
    allowsLoopback: true,
  });
  shutdown.add('connections to agents', async () => checkpoints.close());
  resources.install({
    plugins,
    handlers: [
      ...checkpoints.handlers,
      ...createIdentityReviewHandlers({ tokenAuthenticators, clock }),
      ...createAccessReviewHandlers({ authorizer, index: roles }),
      ...createWorkloadHandlers({
        clock,
        evictions: openEvictions({ ...parts, metrics, budgets: readBudgets(client) }),
      }),
      ...createReviewHandlers({
        domain: config.domain,
        clock,
        ranges: readLimitRanges(client),
        quotas: readQuotas(client),
        evaluators: limits.evaluators,
        findKind: findRegisteredKind(registry),
        isEnforced: () => true,
        mayList: askMayList(authorizer, ''),
        mayListPolicies: askMayListPolicies(authorizer, config.domain),
        policies,
        evictions: { client, budgets: readBudgets(client), mayListObjects: askMayListObjects(authorizer, 'policy') },
      }),
      createFlowReviewHandler({ flowControl, authorizer }),
      createTokenRequestHandler({ tokens, clock }),
      namespaceFinalizeHandler,
    ],
    deletionHolds: [namespaceDeletionHold, makeDefinitionHold(clock)],
  });
  await prepareBootstrapObjects({ client, domain: config.domain });

  const events = new EventRecorder({ ...parts, component: 'garbage-collector-controller', instance: hostname() });
  shutdown.add('events', () => events.close());
  const disruptionEvents = new EventRecorder({ ...parts, component: 'controllermanager', instance: hostname() });
  shutdown.add('events of budgets', () => disruptionEvents.close());
  const nodeLifecycle = buildNodeLifecycle({
    ...{ ...parts, metrics, keys: nodeKeys, settings: config.nodeLifecycle },
    recordAs: (component) => {
      const recorder = new EventRecorder({ ...parts, component, instance: hostname() });
      shutdown.add(`events of ${component}`, () => recorder.close());
      return recorder;
    },
  });
  const replaceable: Readonly<Record<ControllerName, Controller>> = {
    'validatingadmissionpolicy-status-controller': new TypeCheckingController({
      ...parts,
      domain: config.domain,
      schemas: new RegistrySchemas(registry),
    }),
    'resourcequota-controller': limits.quotaController,
    'disruption-controller': buildEmbeddedDisruption({ ...parts, registry, events: disruptionEvents }),
    'clusterrole-aggregation-controller': new ClusterRoleAggregationController(parts),
    'serviceaccount-controller': new ServiceAccountController(parts),
    'root-ca-certificate-publisher-controller': new RootCaPublisher({ ...parts, authority: pki.authority }),
    'garbage-collector-controller': new GarbageCollector({ ...parts, store, registry, events }),
    'node-lifecycle-controller': nodeLifecycle.lifecycle,
    'taint-eviction-controller': nodeLifecycle.eviction,
    'namespace-controller': new NamespaceController({
      ...parts,
      listResources: () => listDeletable(registry),
      deleteHeld: (name) => checkpoints.removeAll(name),
    }),
  };
  const flowParts = { ...parts, domain: config.domain };
  const flowConfiguration = new FollowedFlowConfiguration(flowParts);
  flowConfiguration.subscribe((configuration, classifier) => flowControl.configure(configuration, classifier));
  // What the service writes of its own at its start is not for policies to keep out.
  const controllers: Controller[] = [
    new KeptFlowObjectsController(flowParts),
    flowConfiguration,
    new DanglingConditionController({ ...flowParts, configuration: flowConfiguration }),
    buildDefinitions({ ...parts, store, registry, user: serviceUser }),
    policies,
    ...Object.entries(replaceable).flatMap(([name, controller]) =>
      config.controllers.has(name as ControllerName) ? [controller] : [],
    ),
  ];
  for (const controller of controllers) {
    shutdown.add('controller', () => controller.close());
    await controller.start();
  }
  // Before the controllers, which wait for what they are about.
  shutdown.add('removal of checkpoints', async () => checkpoints.endRemovals());

  const audits =
    config.audit === undefined ? undefined : await openAudit(config.audit, { domain, logger, clock, metrics });
  if (audits !== undefined) shutdown.add('audit log', () => audits.close());
  const service = buildApiService({
    resources,
    flowControl,
    audits,
    authenticator: new RequestAuthenticator({ tokenAuthenticators }),
    authorizer,
    tls: { ...pki.serving, clientAuthority: pki.authority },
    logger,
    metrics,
    address: config.address,
    port: config.port,
  });
  shutdown.add('service', () => service.close());
  const port = await service.listen();
  // Makes an authority, which a service that cannot listen has no use for.
  const agentCertificates = new AgentCertificatesController({
    ...{ ...parts, metrics, domain: config.domain, settings: defaultCertificateSettings, cleansUp: true },
    ...{ names: agentNames, release: agentRelease, namespace: agentNamespace },
  });
  shutdown.add('controller', () => agentCertificates.close());
  await agentCertificates.start();
  const url = formatServerUrl(config.address, port);
  const kubeconfig = join(config.dataDirectory, 'kubeconfig');
  await writeKubeconfig(kubeconfig, { serverUrl: url, authority: pki.authority, client: pki.administrator });
  return { url, kubeconfig };
}
