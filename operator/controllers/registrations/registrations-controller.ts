import type { Registry } from 'prom-client';
import { planAnnouncements } from '../../../admission/registrations/plan-announcements.ts';
import {
  listExcludedNamespaces,
  listFurtherConfigurations,
  planRegistrations,
  type PresentConfigurations,
  type RegistrationPlan,
  type RegistrationWrite,
} from '../../../admission/registrations/plan-registrations.ts';
import {
  configurationKinds,
  type WebhookConfiguration,
  type WebhookType,
} from '../../../admission/registrations/webhook-configuration.ts';
import type { RegistrationContributor } from '../../../admission/registrations/webhook-need.ts';
import { hasReason } from '../../../core/errors/status.ts';
import type { KubeObject, OwnerReference } from '../../../core/meta/kube-object.ts';
import type { CaBundleSource } from '../../../platform/certificates/certificate-source.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import type { Enforcement, EnforcementSource } from '../../../platform/release/enforcement.ts';
import type { ReleaseNames } from '../../../platform/release/release-names.ts';
import type { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { type Controller, type ControllerOptions, createControllerQueue, createIndex } from '../controller-parts.ts';
import { namespaceResource } from '../namespace/namespace-object.ts';
import type { RegisteredEntries } from './registered-entries.ts';
import { findRegistrationMetrics, type RegistrationMetrics } from './registration-metrics.ts';

/** Where Events go. */
export interface EventSink {
  record(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** What the controller needs; indexes and sources besides the contributors' are started and closed by whoever made them. */
export interface RegistrationsControllerOptions extends ControllerOptions {
  readonly contributors: readonly RegistrationContributor[];
  readonly enforcement: EnforcementSource;
  readonly caBundle: CaBundleSource;
  readonly names: ReleaseNames;
  readonly release: string;
  /** The release's. */
  readonly namespace: string;
  readonly domain: string;
  /** Where the host reaches the webhooks; absent: by the release's Service. */
  readonly webhooksUrl?: string | undefined;
  readonly events: EventSink;
  readonly metrics: Registry;
  /** Told of all objects that are in force, and by which setting, whenever these may have changed. */
  readonly onGoverning?: (objects: readonly KubeObject[], enforcement: Enforcement) => void;
  /** Told of what is in force, whenever it may have changed. */
  readonly registered?: RegisteredEntries;
  /** How long a host's API servers may take to follow a change of what is registered; absent: a second. */
  readonly followMillis?: number;
}

const key = 'registrations';
const fieldManager = 'bailiwick-registrations';
const defaultFollowMillis = 1_000;
const clusterRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
const types: readonly WebhookType[] = ['mutating', 'validating'];

/** Refusals after which the event of another's write comes, and with it another look. */
const outrunReasons = ['AlreadyExists', 'Conflict', 'NotFound'];

function compareAge(left: KubeObject, right: KubeObject): number {
  const [a, b] = [left, right].map(({ metadata }) => `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

/**
 * Keeps the host's webhook configurations as the objects that exist need them, whoever changes them, and tells by Event when an object is in
 * force. Of several replicas only the leader runs it.
 */
export class RegistrationsController implements Controller {
  readonly #options: RegistrationsControllerOptions;
  readonly #namespaces: CollectionIndex;
  readonly #configurations: Readonly<Record<WebhookType, CollectionIndex<WebhookConfiguration>>>;
  readonly #further: readonly { readonly name: string; readonly index: CollectionIndex<WebhookConfiguration> }[];
  readonly #queue: WorkQueue;
  readonly #ends: (() => void)[] = [];
  readonly #told = new Map<string, string>();
  readonly #metrics: RegistrationMetrics;
  #owner: OwnerReference | undefined;
  /** When what is registered last changed; `undefined` before the first look. */
  #changedMillis: number | undefined;
  /** The setting at the last look. */
  #enforcement: Enforcement | undefined;
  /** The entries that were in force last. */
  #entries: RegistrationPlan['entries'] = { mutating: [], validating: [] };

  constructor(options: RegistrationsControllerOptions) {
    this.#options = options;
    this.#namespaces = createIndex(options, namespaceResource);
    const selector = `metadata.name=${options.names.webhookConfiguration}`;
    this.#configurations = {
      mutating: createIndex(options, configurationKinds.mutating.resource, selector),
      validating: createIndex(options, configurationKinds.validating.resource, selector),
    };
    this.#further = listFurtherConfigurations(options.names).map((name) => ({
      name,
      index: createIndex(options, configurationKinds.validating.resource, `metadata.name=${name}`),
    }));
    this.#queue = createControllerQueue(options, key, () => this.#reconcile());
    this.#metrics = findRegistrationMetrics(options.metrics);
  }

  async start(): Promise<void> {
    const { contributors, enforcement, caBundle } = this.#options;
    const look = (): void => this.#queue.add(key);
    await Promise.all([
      this.#namespaces.start(),
      ...this.#listConfigurations().map((index) => index.start()),
      ...contributors.map((contributor) => contributor.start()),
    ]);
    this.#owner = await this.#findOwner();
    this.#ends.push(
      ...[...contributors, enforcement, caBundle, this.#namespaces].map((source) => source.subscribe(look)),
      ...this.#listConfigurations().map((index) => index.subscribe(look)),
    );
    look();
    await this.#queue.waitUntilIdle();
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await this.#queue.close();
    await Promise.all([
      this.#namespaces.close(),
      ...this.#listConfigurations().map((index) => index.close()),
      ...this.#options.contributors.map((contributor) => contributor.close()),
    ]);
  }

  #listConfigurations(): CollectionIndex<WebhookConfiguration>[] {
    return [...types.map((type) => this.#configurations[type]), ...this.#further.map(({ index }) => index)];
  }

  /** The configurations go with the release's ClusterRole, whatever becomes of the release; `undefined` where it is not found. */
  async #findOwner(): Promise<OwnerReference | undefined> {
    const { client, names, logger } = this.#options;
    const name = `${names.webhookConfiguration}-operator`;
    try {
      const { metadata } = await client.get({ resource: clusterRoles, name });
      const { uid = '' } = metadata;
      return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name, uid };
    } catch (error) {
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Forbidden')) throw error;
      logger.info({ clusterRole: name }, 'the registrations have no owner, an uninstall must remove them');
      return undefined;
    }
  }

  #readPresent(): PresentConfigurations {
    const { webhookConfiguration } = this.#options.names;
    const [mutating, validating] = types.map((type) => this.#configurations[type].get(webhookConfiguration));
    const further = this.#further.flatMap(({ name, index }) => index.get(name) ?? []);
    return {
      ...(mutating === undefined ? {} : { mutating }),
      ...(validating === undefined ? {} : { validating }),
      further,
    };
  }

  async #reconcile(): Promise<WorkResult | undefined> {
    const { contributors, enforcement, caBundle, names, release, namespace, domain, webhooksUrl, clock, logger } =
      this.#options;
    const mode = enforcement.current();
    const governing = contributors.flatMap((contributor) => contributor.listGoverning());
    const plan = planRegistrations({
      ...{ names, release, namespace, domain, webhooksUrl, enforcement: mode },
      needs: contributors.flatMap((contributor) => contributor.listNeeds()),
      caBundle: caBundle.current(),
      namespaces: this.#namespaces
        .list()
        .toSorted(compareAge)
        .map(({ metadata }) => metadata.name ?? ''),
      owner: this.#owner,
      present: this.#readPresent(),
    });
    if (plan.waitsFor !== undefined) {
      logger.info({ waitsFor: plan.waitsFor }, 'nothing can be registered yet');
      return undefined;
    }
    const isFirst = this.#changedMillis === undefined;
    if (isFirst) this.#changedMillis = plan.writes.length === 0 ? Number.NEGATIVE_INFINITY : clock.now();
    if (!isFirst && mode !== this.#enforcement) this.#followSetting(mode);
    this.#enforcement = mode;
    for (const write of plan.writes) {
      if (!(await this.#write(write))) return undefined;
      this.#changedMillis = clock.now();
      logger.info({ type: write.type, action: write.action }, 'what is registered at the host changed');
    }
    this.#show(plan);
    // What was registered before this leader came was told of by an earlier one.
    return this.#announce(governing, plan, mode, isFirst && plan.writes.length === 0);
  }

  /** Nothing is in force by a new setting before the replicas, which follow it by themselves, have had time to; what binds no more is so at once. */
  #followSetting(mode: Enforcement): void {
    this.#changedMillis = this.#options.clock.now();
    this.#options.registered?.set(this.#entries, mode);
  }

  /** Whether it was written; not when somebody else was faster. */
  async #write({ action, type, object }: RegistrationWrite): Promise<boolean> {
    const { client } = this.#options;
    const { resource } = configurationKinds[type];
    const { name = '', uid = '' } = object.metadata;
    try {
      if (action === 'create') await client.create({ resource }, object, { fieldManager });
      else if (action === 'update') await client.update({ resource, name }, object, { fieldManager });
      else await client.delete({ resource, name }, { preconditions: { uid } });
    } catch (error) {
      if (outrunReasons.some((reason) => hasReason(error, reason))) return false;
      throw error;
    }
    this.#metrics.writes.inc({ type, action });
    return true;
  }

  #show({ entries }: RegistrationPlan): void {
    this.#metrics.registered.reset();
    for (const { name, namespaceSelector } of [...entries.mutating, ...entries.validating]) {
      const named = namespaceSelector.matchExpressions.find(({ operator }) => operator === 'In');
      this.#metrics.registered.set({ webhook: name }, named?.values?.length ?? -1);
    }
  }

  /** Tells of what is in force, once the host's API servers have had time to follow. */
  #announce(
    objects: readonly KubeObject[],
    { entries }: RegistrationPlan,
    mode: Enforcement,
    isKnown: boolean,
  ): WorkResult | undefined {
    const { namespace, clock, events, followMillis = defaultFollowMillis } = this.#options;
    const leftMillis = (this.#changedMillis ?? 0) + followMillis - clock.now();
    if (leftMillis > 0) return { againAfterMillis: leftMillis };
    this.#entries = entries;
    this.#options.registered?.set(entries, mode);
    this.#options.onGoverning?.(objects, mode);
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    for (const uid of this.#told.keys()) if (!uids.has(uid)) this.#told.delete(uid);
    const facts = { objects, enforcement: mode, excluded: listExcludedNamespaces(namespace) };
    for (const { object, type, reason, message, state } of planAnnouncements({ ...facts, told: this.#told })) {
      this.#told.set(object.metadata.uid ?? '', state);
      if (!isKnown) events.record(object, type, reason, message);
    }
    return undefined;
  }
}
