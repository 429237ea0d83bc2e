import type { X509Certificate } from 'node:crypto';

import { hasReason } from '../../../core/errors/status.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import { formatDate } from '../../../core/time/format-date.ts';
import type { CaBundleSource } from '../../../platform/certificates/certificate-source.ts';
import { defaultCertificateSettings } from '../../../platform/certificates/certificate-facts.ts';
import type { CertificateSettings, ServedFacts } from '../../../platform/certificates/certificate-facts.ts';
import { setExpiration } from '../../../platform/certificates/expiration-gauge.ts';
import { observeTrust } from '../../../platform/certificates/observe-trust.ts';
import { planCertificates } from '../../../platform/certificates/plan-certificates.ts';
import { planExpirationWarning } from '../../../platform/certificates/plan-expiration-warning.ts';
import { isSignedBy, joinCertificates } from '../../../platform/certificates/read-certificate.ts';
import { secretsResource } from '../../../platform/certificates/serving-secret.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import type { Registry } from '../../../platform/process/metrics.ts';
import type { ReleaseNames } from '../../../platform/release/release-names.ts';
import { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { createControllerQueue } from '../controller-parts.ts';
import type { Controller, ControllerOptions } from '../controller-parts.ts';
import { applyCertificateStep } from './apply-certificate-step.ts';
import {
  apiServices,
  mutatingConfigurations,
  nameApiServices,
  readBundle,
  readCaBundle,
  validatingConfigurations,
} from '../../../platform/certificates/certificate-objects.ts';
import type { ApiServiceObject } from '../../../platform/certificates/certificate-objects.ts';
import { gatherCertificates, listSubjectNames } from './gather-certificates.ts';
import type { KeptCertificate, StoredCertificates } from './gather-certificates.ts';
import { probeServedCertificates } from './probe-served-certificates.ts';
import { isRotationAsked } from './write-certificate-secret.ts';

/** Where the controller says what a person should see; an EventRecorder is one. */
export interface CertificateEvents {
  record(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** What the controller needs. */
export interface CertificatesControllerOptions extends ControllerOptions {
  readonly names: ReleaseNames;
  readonly release: string;
  readonly namespace: string;
  readonly domain: string;
  /** Whether there is an APIService of node agents; absent: there is none. */
  readonly hasAgents?: boolean;
  /** `own`: certificates are made and rotated here. `secret`: somebody else (cert-manager) keeps the Secrets, which are only read. */
  readonly mode: 'own' | 'secret';
  /** Absent: the defaults. */
  readonly settings?: CertificateSettings;
  readonly events: CertificateEvents;
  readonly metrics: Registry;
  /** DNS names and IP addresses beyond those of the Services. */
  readonly webhooksNames?: readonly string[];
  readonly operatorNames?: readonly string[];
  /** What callers of the operator are to trust where others keep its Secret; absent: what that holds, without any overlap. */
  readonly operatorBundle?: CaBundleSource;
  /** Absent: the replicas behind the Services' EndpointSlices are asked. */
  readonly probe?: () => Promise<readonly ServedFacts[]>;
}

const queueKey = 'certificates';
const lookAgainMillis = 3_600_000;
/** How long to wait before replicas are asked again what they serve. */
const askAgainMillis = 15_000;
const maxSteps = 20;

/**
 * Keeps the installation's certificates: makes the authority and what it signs, renews and rotates them by the plan, brings the authorities
 * into the APIServices, and warns long before something ends that was not renewed. Only the leader may run it.
 */
export class CertificatesController implements Controller {
  readonly #options: CertificatesControllerOptions;
  readonly #settings: CertificateSettings;
  readonly #kept: readonly KeptCertificate[];
  readonly #indexes: readonly CollectionIndex[];
  readonly #queue: WorkQueue;
  readonly #stopListening: (() => void) | undefined;
  #trustedSinceMillis = new Map<string, number>();

  constructor(options: CertificatesControllerOptions) {
    const { names, namespace, webhooksNames, operatorNames } = options;
    this.#options = options;
    this.#settings = options.settings ?? defaultCertificateSettings;
    this.#kept = [
      {
        label: 'webhooks',
        secret: names.webhooksCertificate,
        service: names.webhooks,
        subjectNames: listSubjectNames(names.webhooks, namespace, webhooksNames),
      },
      {
        label: 'operator',
        secret: names.operatorCertificate,
        service: names.operator,
        subjectNames: listSubjectNames(names.operator, namespace, operatorNames),
      },
    ];
    this.#queue = createControllerQueue(options, 'certificates', () => this.#reconcile());
    this.#stopListening = options.operatorBundle?.subscribe(() => this.#queue.add(queueKey));
    this.#indexes = [
      ...[names.authority, ...this.#kept.map((one) => one.secret)].map((name) =>
        this.#follow(secretsResource, name, namespace),
      ),
      this.#follow(mutatingConfigurations, names.webhookConfiguration),
      this.#follow(validatingConfigurations, names.webhookConfiguration),
      ...this.#nameApiServices().map((name) => this.#follow(apiServices, name)),
    ];
  }

  /** Resolves when the certificates have been looked at once; a failure is tried again. */
  async start(): Promise<void> {
    this.#queue.add(queueKey);
    await Promise.all(this.#indexes.map((index) => index.start()));
    await this.#queue.waitUntilIdle();
  }

  async close(): Promise<void> {
    this.#stopListening?.();
    await Promise.all(this.#indexes.map((index) => index.close()));
    await this.#queue.close();
  }

  get #hasAgents(): boolean {
    return this.#options.hasAgents ?? false;
  }

  #nameApiServices(): string[] {
    return nameApiServices({ domain: this.#options.domain, hasAgents: this.#hasAgents });
  }

  #follow(resource: ResourceName, name: string, namespace?: string): CollectionIndex {
    const { client, clock, logger } = this.#options;
    const index = new CollectionIndex({
      client,
      clock,
      reference: { resource, ...(namespace === undefined ? {} : { namespace }) },
      fieldSelector: `metadata.name=${name}`,
      onFailure: (error) =>
        logger.warn({ resource: resource.resource, name, err: error }, 'following an object failed'),
    });
    index.subscribe(() => this.#queue.add(queueKey));
    return index;
  }

  async #reconcile(): Promise<WorkResult> {
    for (let count = 0; count < maxSteps; count += 1) {
      const stored = await gatherCertificates({ ...this.#options, hasAgents: this.#hasAgents, kept: this.#kept });
      this.#report(stored);
      const againAfterMillis = this.#options.mode === 'secret' ? lookAgainMillis : await this.#takeStep(stored);
      if (againAfterMillis === undefined) continue;
      await this.#updateApiServices(stored);
      return { againAfterMillis };
    }
    throw new Error('the certificates do not come to rest');
  }

  /** Takes the plan's next step; returns when to look again, `undefined` when that is at once. */
  async #takeStep(stored: StoredCertificates): Promise<number | undefined> {
    const { logger, clock } = this.#options;
    const nowMillis = clock.now();
    const { authorities, serving } = stored;
    const certificates = authorities.map((one) => one.certificate);
    this.#trustedSinceMillis = observeTrust(this.#trustedSinceMillis, certificates, stored.bundles, nowMillis);
    const served = authorities.length > 1 ? await this.#probe() : [];
    const { step, againAtMillis } = planCertificates({
      nowMillis,
      settings: this.#settings,
      authorities,
      isRotationAsked: isRotationAsked(stored.authoritySecret, this.#options.domain),
      serving,
      trustedSinceMillis: this.#trustedSinceMillis,
      served,
    });
    if (step === undefined) {
      const waitMillis = againAtMillis - nowMillis;
      return served.length > 0 ? Math.min(waitMillis, askAgainMillis) : waitMillis;
    }
    const secret = 'secret' in step ? step.secret : this.#options.names.authority;
    try {
      await applyCertificateStep(this.#options, stored, step);
      logger.info({ secret, action: step.action, reason: step.reason }, 'certificates changed');
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists') && !hasReason(error, 'Conflict')) throw error;
      logger.info({ secret, action: step.action }, 'somebody else changed a certificate, looking again');
    }
    return undefined;
  }

  async #probe(): Promise<readonly ServedFacts[]> {
    const { client, logger, namespace, probe } = this.#options;
    const services = this.#kept.map((one) => one.service);
    try {
      return await (probe?.() ?? probeServedCertificates({ client, logger, namespace, services }));
    } catch (error) {
      // An old authority then stays trusted for longer; everything else must go on.
      logger.warn({ err: error }, 'the replicas could not be asked for their certificates');
      return [{}];
    }
  }

  /** Sets the figures of what is in use, and warns of what was not renewed. */
  #report(stored: StoredCertificates): void {
    const { metrics } = this.#options;
    let authorityEndMillis: number | undefined;
    for (const [index, { chain, secret }] of stored.serving.entries()) {
      const [leaf] = chain ?? [];
      setExpiration(metrics, this.#kept[index]?.label ?? secret, leaf?.validToDate.getTime());
      if (leaf === undefined) continue;
      this.#warn(secret, leaf, stored.servingSecrets.get(secret));
      const signer = stored.authorities.find((one) => isSignedBy(leaf, one.certificate));
      if (signer === undefined) continue;
      const endMillis = signer.certificate.validToDate.getTime();
      authorityEndMillis = Math.min(authorityEndMillis ?? endMillis, endMillis);
      this.#warn(this.#options.names.authority, signer.certificate, stored.authoritySecret);
    }
    if (this.#options.mode === 'own') setExpiration(metrics, 'authority', authorityEndMillis);
  }

  #warn(name: string, certificate: X509Certificate, secret: KubeObject | undefined): void {
    const { events, logger, clock } = this.#options;
    const warning = planExpirationWarning(certificate, clock.now());
    if (warning === undefined || secret === undefined) return;
    const notAfter = formatDate(warning.notAfterMillis);
    logger.warn({ secret: name, notAfter }, 'a certificate nears its end and has not been renewed');
    events.record(secret, 'Warning', 'CertificateExpiring', warning.message);
  }

  async #updateApiServices({ apiServices: services, serving }: StoredCertificates): Promise<void> {
    const { names, mode, operatorBundle } = this.#options;
    const stored = serving.find((one) => one.secret === names.operatorCertificate)?.bundle ?? [];
    const isOverlapping = mode === 'secret' && operatorBundle !== undefined;
    const bundle = isOverlapping ? readBundle(operatorBundle.current() ?? '') : stored;
    if (bundle.length === 0) return;
    for (const service of services) await this.#updateApiService(service, joinCertificates(bundle));
  }

  async #updateApiService({ metadata, spec }: ApiServiceObject, wanted: string): Promise<void> {
    const { client, logger } = this.#options;
    const { name = '' } = metadata;
    const { caBundle, insecureSkipTLSVerify = false } = spec ?? {};
    if (joinCertificates(readCaBundle(caBundle)) === wanted && !insecureSkipTLSVerify) return;
    await client.patch(
      { resource: apiServices, name },
      'application/merge-patch+json',
      { spec: { caBundle: Buffer.from(wanted, 'utf8').toString('base64'), insecureSkipTLSVerify: false } },
      { fieldManager: 'bailiwick-certificates' },
    );
    logger.info({ apiService: name }, 'the authorities of an APIService changed');
  }
}
