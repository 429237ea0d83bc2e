import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

import { EnforceableIndex } from '../admission/enforceable-index.ts';
import { readEnforceableBudgets } from '../admission/eviction/budget-source.ts';
import { EvictionPlugin } from '../admission/eviction/eviction-plugin.ts';
import { openEvictions } from '../admission/eviction/open-evictions.ts';
import { ImpossibleBudgetPlugin } from '../admission/eviction/impossible-budget-plugin.ts';
import { indexLimitRanges } from '../admission/limits/limit-range-source.ts';
import { listExcludedNamespaces } from '../admission/registrations/plan-registrations.ts';
import { openQuotaClaims } from '../admission/quota/claims/open-quota-claims.ts';
import { resourceQuotaKind } from '../kinds/core/resource-quota/definition.ts';
import { limitRangeKind } from '../kinds/core/limit-range/definition.ts';
import type { LimitRange } from '../kinds/core/limit-range/schema.ts';
import { buildKindRegistry } from '../kinds/registry.ts';
import type { CertificateSource, ServingCertificate } from '../platform/certificates/certificate-source.ts';
import { mutatingConfigurations, validatingConfigurations } from '../platform/certificates/certificate-objects.ts';
import { checkServedCertificate } from '../platform/certificates/check-served-certificate.ts';
import { FollowedCallerTrust } from '../platform/certificates/follow-caller-trust.ts';
import { FollowedServingCertificate } from '../platform/certificates/follow-serving-certificate.ts';
import { readCertificates, readSubjectNames } from '../platform/certificates/read-certificate.ts';
import { openHostConnection } from '../platform/kube/open-host-connection.ts';
import { systemClock } from '../platform/process/clock.ts';
import type { HealthCheck } from '../platform/process/health-check.ts';
import { startHealthServer } from '../platform/process/health-server.ts';
import { createLogger, type Logger } from '../platform/process/logger.ts';
import { createMetricsRegistry, type Registry } from '../platform/process/metrics.ts';
import { describeFlags, FlagError } from '../platform/process/parse-flags.ts';
import { endOnSignals, Shutdown } from '../platform/process/shutdown.ts';
import { StartError } from '../platform/process/start-error.ts';
import { alwaysEnforced, type EnforcementSource } from '../platform/release/enforcement.ts';
import { findReleaseNamespace } from '../platform/release/find-release-namespace.ts';
import { FollowedEnforcement } from '../platform/release/follow-enforcement.ts';
import { buildReleaseNames } from '../platform/release/release-names.ts';
import { CollectionIndex } from '../platform/resources/collection-index.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import type { ResourceClient } from '../platform/resources/resource-client.ts';
import { createLiveScaleSource } from '../platform/scale/scale-sources.ts';
import { buildRoutes } from './build-routes.ts';
import { FileCertificate } from './certificate/file-certificate.ts';
import { countInvalid } from './count-invalid.ts';
import { openPolicies, type Policies } from './policies/open-policies.ts';
import { openReviewAudit } from './policies/open-review-audit.ts';
import { PresencePublisher } from './policies/presence-publisher.ts';
import type { CallerRules } from './server/caller-check.ts';
import { ReviewMetrics } from './server/review-metrics.ts';
import { ReviewServer } from './server/review-server.ts';
import { ReviewServing } from './server/serve-reviews.ts';
import { readWebhooksConfig, type WebhooksConfig, webhooksFlags } from './webhooks-flags.ts';

const clock = systemClock;
/** Beyond the time of draining, for calls that are under way. */
const endingMillis = 30_000;
const claimTimeoutMillis = 5_000;

interface Parts {
  readonly config: WebhooksConfig;
  readonly namespace: string;
  readonly client: ResourceClient;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly shutdown: Shutdown;
}

/** Where the certificate comes from, and the first one, which is waited for. */
async function openCertificates(parts: Parts): Promise<{
  readonly certificates: CertificateSource;
  readonly first: ServingCertificate;
  readonly serverName: string;
  /** What callers check the certificate by. */
  readonly readBundle: () => string;
}> {
  const { config, namespace, client, logger, metrics, shutdown } = parts;
  if (config.certificate !== undefined) {
    const files = await FileCertificate.open(config.certificate, clock, logger);
    shutdown.add('certificate', () => files.close());
    const [certificate] = readCertificates(files.current().certificate);
    const [serverName = ''] = certificate === undefined ? [] : readSubjectNames(certificate);
    return { certificates: files, first: files.current(), serverName, readBundle: () => files.current().bundle };
  }
  const names = buildReleaseNames(config.release ?? '', namespace);
  const callers = new FollowedCallerTrust({
    ...{ client, clock, logger },
    objects: [mutatingConfigurations, validatingConfigurations].map((resource) => ({
      ...{ resource, name: names.webhookConfiguration },
    })),
  });
  const followed = new FollowedServingCertificate({
    ...{ client, clock, logger, metrics, namespace, name: names.webhooksCertificate, certificate: 'webhooks', callers },
  });
  shutdown.add('trust of callers', () => callers.close());
  shutdown.add('certificate', () => followed.close());
  void callers.start();
  void followed.start();
  const first = await followed.waitForCertificate(shutdown.signal);
  const readBundle = (): string => followed.readCallerBundle() ?? first.bundle;
  return { certificates: followed, first, serverName: `${names.webhooks}.${namespace}.svc`, readBundle };
}

async function openEnforcement(parts: Parts): Promise<EnforcementSource> {
  const { config, namespace, shutdown } = parts;
  if (config.release === undefined) return alwaysEnforced;
  const name = buildReleaseNames(config.release, namespace).settings;
  const followed = new FollowedEnforcement({ ...parts, clock, namespace, name });
  shutdown.add('settings', () => followed.close());
  await followed.start();
  return followed;
}

async function readCallers({ clientAuthorityFile, clientNames }: WebhooksConfig): Promise<CallerRules | undefined> {
  if (clientAuthorityFile === undefined) return undefined;
  try {
    const authority = await readFile(clientAuthorityFile, 'utf8');
    if (readCertificates(authority).length === 0) throw new Error('it holds no certificate');
    return { authority, names: clientNames };
  } catch (error) {
    throw new StartError(`${clientAuthorityFile} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

/** Throws a StartError for what the user can mend. */
async function openConnection({ kubeconfig }: WebhooksConfig, logger: Logger, metrics: Registry) {
  try {
    const options = { clock, logger, metrics, userAgent: 'bailiwick-webhooks/0.1' };
    return await openHostConnection({ ...options, ...(kubeconfig === undefined ? {} : { kubeconfig }) });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    throw new StartError(`${(error as Error).message}${cause}`, { cause: error });
  }
}

/** Tells the operator what this replica judges by; without a release nobody wants to know. */
function publishPresence({ policies, bindings }: Policies, parts: Parts): void {
  const { config, namespace, client, logger, shutdown } = parts;
  const { release, pod } = config;
  if (release === undefined) return;
  const presence = new PresencePublisher({
    ...{ client, clock, logger, policies, bindings, release, namespace },
    name: `${release}-webhooks-${crypto.randomUUID().slice(0, 8)}`,
    identity: hostname(),
    owner: pod && { apiVersion: 'v1', kind: 'Pod', ...pod },
  });
  shutdown.add('presence', () => presence.close());
  presence.start();
}

/** How far the start has come. */
interface WebhooksState {
  isSynced: boolean;
  /** `undefined` when callers get a certificate that they trust, else what is wrong. */
  checkServing: () => Promise<string | undefined>;
}

function makeChecks(state: WebhooksState, { signal }: Shutdown): HealthCheck[] {
  return [
    { name: 'ping', check: async () => undefined },
    {
      name: 'synced',
      readinessOnly: true,
      check: async () => (state.isSynced ? undefined : 'what is to be enforced is not known yet'),
    },
    {
      name: 'serving',
      readinessOnly: true,
      check: async () => (signal.aborted ? 'about to end' : state.checkServing()),
    },
  ];
}

/** Starts everything; resolves to the URL when calls are answered. */
async function startWebhooks(config: WebhooksConfig, shutdown: Shutdown, logger: Logger): Promise<string> {
  const metrics = createMetricsRegistry();
  const registry = buildKindRegistry(config.domain);
  const connection = await openConnection(config, logger, metrics);
  shutdown.add('connection to the host', () => connection.close());
  const client = createHostResourceClient({ connection, registry, clock });
  const namespace = config.namespace ?? (await findReleaseNamespace());
  const parts: Parts = { config, namespace, client, logger, metrics, shutdown };

  const ranges = new CollectionIndex<LimitRange>({
    ...{ client, clock, reference: { resource: { group: '', version: 'v1', resource: 'limitranges' } } },
    onFailure: (error) =>
      logger.warn({ resource: 'limitranges', err: error }, 'following a collection failed, trying again'),
  });
  shutdown.add('limit ranges', () => ranges.close());
  const enforceable = new EnforceableIndex<LimitRange>({
    ...{ kind: limitRangeKind, index: ranges, domain: config.domain, clock },
    onInvalid: countInvalid({ kind: limitRangeKind.kind, logger, metrics }),
  });
  // A request that hangs must not hold up those that come after it.
  const chargingClient = createHostResourceClient({
    ...{ connection, registry, clock, requestTimeoutMillis: claimTimeoutMillis },
  });
  const quotas = openQuotaClaims({
    client: chargingClient,
    ...{ clock, logger, metrics, domain: config.domain },
    onInvalid: countInvalid({ kind: resourceQuotaKind.kind, logger, metrics }),
  });
  shutdown.add('quotas', () => quotas.close());
  const evictions = new EvictionPlugin({
    evictions: openEvictions({
      ...{ client: chargingClient, clock, logger, metrics },
      budgets: readEnforceableBudgets(chargingClient, { clock, domain: config.domain }),
    }),
    clock,
    onFailure: (error) =>
      logger.warn({ err: error }, 'budgets could not be asked or charged, nobody is let through for it'),
  });

  const audit = await openReviewAudit(config.auditLog, { clock, logger, metrics });
  if (audit !== undefined) shutdown.add('audit log', () => audit.close());
  const policies = openPolicies({
    ...{ connection, client, clock, logger, metrics, domain: config.domain },
    ...(audit === undefined ? {} : { recordAnnotations: audit.record }),
  });
  shutdown.add('policies', () => policies.close());

  const impossibleBudgets = new ImpossibleBudgetPlugin({
    ...{ domain: config.domain, client, clock },
    // What only discovery knows is looked into by the controller.
    scales: createLiveScaleSource(client, () => undefined),
    onFailure: (error) =>
      logger.warn({ err: error }, 'the pods of a budget could not be read, nobody is warned of them'),
  });

  const state: WebhooksState = { isSynced: false, checkServing: async () => 'not taking calls yet' };
  if (config.healthPort !== 0) {
    const health = await startHealthServer({
      ...{ address: config.address, port: config.healthPort, metrics, clock, logger },
      checks: makeChecks(state, shutdown),
    });
    shutdown.add('health', () => health.close());
  }

  const [enforcement, { certificates, first, serverName, readBundle }] = await Promise.all([
    openEnforcement(parts),
    openCertificates(parts),
    ranges.start(),
    quotas.start(),
    policies.start(),
  ]);
  state.isSynced = true;
  const callers = await readCallers(config);
  const server = new ReviewServer({
    ...{ first, certificates, clock, logger, clientAuthority: callers?.authority },
    ...{ address: config.address, port: config.port, drainMillis: config.drainMillis },
  });
  const serving = new ReviewServing({
    ...{ registry, enforcement, clock, logger, callers },
    routes: buildRoutes({
      ...{ registry, clock, ranges: indexLimitRanges(enforceable), quotaPlugins: [quotas.plugin], evictions },
      ...{ excluded: listExcludedNamespaces(namespace), paramAccess: policies.paramAccess, impossibleBudgets },
    }),
    findRoute: policies.findRoute,
    metrics: new ReviewMetrics(metrics),
    isDraining: () => shutdown.signal.aborted,
  });
  const port = await server.listen(serving.handle);
  shutdown.add('server', () => server.close());
  publishPresence(policies, parts);
  const address = findLocalAddress(config.address);
  state.checkServing = () => checkServedCertificate({ address, port, serverName, bundle: readBundle() });
  const shown = config.address.includes(':') ? `[${config.address}]` : config.address;
  return `https://${shown}:${port}`;
}

/** Where a program reaches itself that listens on `address`. */
function findLocalAddress(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}

async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--help')) {
    process.stdout.write(`node webhooks/main.ts [FLAG ...]\n\n${describeFlags(webhooksFlags)}\n`);
    return;
  }
  const config = readWebhooksConfig(words);
  const logger = createLogger({ level: config.logLevel, program: 'webhooks' });
  const shutdown = new Shutdown({ logger, clock, stepTimeoutMillis: config.drainMillis + endingMillis });
  endOnSignals(shutdown, (code) => process.exit(code));
  try {
    process.stdout.write(`ready ${await startWebhooks(config, shutdown, logger)}\n`);
  } catch (error) {
    if (shutdown.signal.aborted) return;
    if (error instanceof StartError) process.stderr.write(`${error.message}\n`);
    else logger.fatal({ err: error }, 'the webhooks could not start');
    await shutdown.end();
    process.exit(1);
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof FlagError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
