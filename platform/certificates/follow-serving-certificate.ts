import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import type { Registry } from '../process/metrics.ts';
import { CollectionIndex } from '../resources/collection-index.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import type { CaBundleSource, CertificateSource, ServingCertificate } from './certificate-source.ts';
import { setExpiration } from './expiration-gauge.ts';
import { planAdoption } from './plan-adoption.ts';
import { holdsSameCertificates } from './read-certificate.ts';
import { readServingSecret, secretsResource } from './serving-secret.ts';
import type { SecretObject } from './serving-secret.ts';

/** Which Secret to follow, and what to follow it with. */
export interface FollowedServingCertificateOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespace: string;
  readonly name: string;
  /** What the certificate is called in metrics. */
  readonly certificate: 'webhooks' | 'operator';
  /** Absent: nothing is counted. */
  readonly metrics?: Registry;
  /** How long callers are given to learn of an authority that came together with its first certificate; absent means half a minute. */
  readonly holdMillis?: number;
}

/** A leader that has to be elected first, and then writes to the host, is done by then. */
const defaultHoldMillis = 30_000;

/**
 * The certificate of a Secret, followed through the API. A Secret that is deleted or cannot be used never takes the last good certificate
 * away: it is said in the log, and the certificate stays until a better one comes. One with an authority that nobody knows yet is served
 * only after callers had time to learn of that.
 */
export class FollowedServingCertificate implements CertificateSource {
  /** The authorities of the same Secret, and for a while those before. */
  readonly bundles: CaBundleSource;
  readonly #options: FollowedServingCertificateOptions;
  readonly #index: CollectionIndex<SecretObject>;
  readonly #listeners = new Set<(certificate: ServingCertificate) => void>();
  readonly #bundleListeners = new Set<(bundle: string) => void>();
  #current: ServingCertificate | undefined;
  #bundle: string | undefined;
  #cancelWait: () => void = () => undefined;

  constructor(options: FollowedServingCertificateOptions) {
    const { client, clock, logger, namespace, name } = options;
    this.#options = options;
    this.#index = new CollectionIndex<SecretObject>({
      client,
      clock,
      reference: { resource: secretsResource, namespace },
      fieldSelector: `metadata.name=${name}`,
      onFailure: (error) => logger.warn({ secret: name, err: error }, 'following a certificate failed, trying again'),
    });
    this.#index.subscribe(({ object }) => this.#take(object));
    this.bundles = {
      current: () => this.#bundle,
      subscribe: (listener) => {
        this.#bundleListeners.add(listener);
        return () => this.#bundleListeners.delete(listener);
      },
    };
  }

  /** Begins to follow the Secret; resolves when it is known whether there is one. */
  start(): Promise<void> {
    return this.#index.start();
  }

  current(): ServingCertificate | undefined {
    return this.#current;
  }

  subscribe(listener: (certificate: ServingCertificate) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The certificate as soon as there is a good one. Rejects with the signal's reason when it aborts before. */
  async waitForCertificate(signal?: AbortSignal): Promise<ServingCertificate> {
    signal?.throwIfAborted();
    if (this.#current !== undefined) return this.#current;
    return new Promise((resolve, reject) => {
      const stopListening = this.subscribe((certificate) => {
        stopListening();
        signal?.removeEventListener('abort', stop);
        resolve(certificate);
      });
      const stop = (): void => {
        stopListening();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Ends following; the last certificate stays. */
  close(): Promise<void> {
    this.#cancelWait();
    return this.#index.close();
  }

  #take(secret: SecretObject | undefined): void {
    const { logger, name, clock } = this.#options;
    if (secret === undefined) {
      logger.warn({ secret: name }, 'the Secret of a certificate is gone, the last certificate stays');
      return;
    }
    const read = readServingSecret(secret, clock.now());
    if ('fault' in read) {
      logger.error({ secret: name, fault: read.fault }, 'a certificate cannot be used, the last good one stays');
      return;
    }
    this.#cancelWait();
    const { serving } = read;
    const { holdMillis = defaultHoldMillis } = this.#options;
    const nowMillis = clock.now();
    const { adoptAtMillis, bundle } = planAdoption({ current: this.#current, offered: serving, nowMillis, holdMillis });
    this.#publish(bundle);
    if (adoptAtMillis <= nowMillis) {
      this.#adopt(serving);
      return;
    }
    logger.info({ secret: name, holdMillis }, 'a certificate waits until its new authority is trusted');
    this.#cancelWait = clock.schedule(adoptAtMillis - nowMillis, () => {
      this.#adopt(serving);
      // Other replicas, and API servers, may be behind.
      this.#cancelWait = clock.schedule(holdMillis, () => this.#publish(serving.bundle));
    });
  }

  #adopt(serving: ServingCertificate): void {
    const { logger, name, certificate, metrics } = this.#options;
    const previous = this.#current;
    if (previous?.certificate === serving.certificate && previous.bundle === serving.bundle) return;
    this.#current = serving;
    const { serialNumber, notAfterMillis } = serving;
    logger.info({ secret: name, serialNumber, notAfter: new Date(notAfterMillis).toISOString() }, 'certificate in use');
    if (metrics !== undefined) setExpiration(metrics, certificate, notAfterMillis);
    for (const listener of this.#listeners) listener(serving);
  }

  #publish(bundle: string): void {
    const isSame = this.#bundle !== undefined && holdsSameCertificates(this.#bundle, bundle);
    this.#bundle = bundle;
    if (isSame) return;
    for (const listener of this.#bundleListeners) listener(bundle);
  }
}
