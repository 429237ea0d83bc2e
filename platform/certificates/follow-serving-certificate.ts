import { formatDate } from '../../core/time/format-date.ts';
import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import type { Registry } from '../process/metrics.ts';
import { CollectionIndex } from '../resources/collection-index.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import type { CallerTrustSource } from './caller-trust.ts';
import type { CaBundleSource, CertificateSource, ServingCertificate } from './certificate-source.ts';
import { setExpiration } from './expiration-gauge.ts';
import { findCommonAuthorities, planAdoption } from './plan-adoption.ts';
import { holdsSameCertificates, joinCertificates } from './read-certificate.ts';
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
  /** What its callers trust; absent: nobody is asked, and whatever is in the Secret is served at once. */
  readonly callers?: CallerTrustSource;
}

/** API servers follow what they are told to trust within a second, one after another. */
const settleMillis = 3_000;

/**
 * The certificate of a Secret, followed through the API. A Secret that is deleted or cannot be used never takes the last good certificate
 * away: it is said in the log, and the certificate stays until a better one comes. One with an authority that callers do not trust yet is
 * served only when they do.
 */
export class FollowedServingCertificate implements CertificateSource {
  /** The authorities of the last good certificate of the Secret. */
  readonly bundles: CaBundleSource;
  readonly #options: FollowedServingCertificateOptions;
  readonly #index: CollectionIndex<SecretObject>;
  readonly #listeners = new Set<(certificate: ServingCertificate) => void>();
  readonly #bundleListeners = new Set<(bundle: string) => void>();
  #current: ServingCertificate | undefined;
  #latest: ServingCertificate | undefined;
  #cancelWait: () => void = () => undefined;
  readonly #stopListening: (() => void) | undefined;

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
    this.#stopListening = options.callers?.subscribe(() => this.#decide());
    this.bundles = {
      current: () => this.#latest?.bundle,
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

  /** The last good certificate of the Secret, whether it is served yet or not; `undefined` until there is one. */
  latest(): ServingCertificate | undefined {
    return this.#latest;
  }

  /** PEM text of what the certificate served is checked by: the authorities that every caller trusts, or those it came with while nobody is known to call. */
  readCallerBundle(): string | undefined {
    const bundles = this.#options.callers?.current()?.bundles ?? [];
    return bundles.length === 0 ? this.#current?.bundle : joinCertificates(findCommonAuthorities(bundles));
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
    this.#stopListening?.();
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
    const previous = this.#latest;
    this.#latest = read.serving;
    this.#decide();
    if (previous !== undefined && holdsSameCertificates(previous.bundle, read.serving.bundle)) return;
    for (const listener of this.#bundleListeners) listener(read.serving.bundle);
  }

  /** Serves the last certificate as soon as the plan says so. */
  #decide(): void {
    const { logger, name, clock, callers } = this.#options;
    const offered = this.#latest;
    this.#cancelWait();
    if (offered === undefined || offered === this.#current) return;
    const nowMillis = clock.now();
    const facts = { current: this.#current, offered, nowMillis, settleMillis };
    const adoptAtMillis = callers === undefined ? nowMillis : planAdoption({ ...facts, callers: callers.current() });
    if (adoptAtMillis <= nowMillis) {
      this.#adopt(offered);
      return;
    }
    logger.info({ secret: name }, 'a certificate waits until callers trust its authority');
    this.#cancelWait = clock.schedule(adoptAtMillis - nowMillis, () => this.#decide());
  }

  #adopt(serving: ServingCertificate): void {
    const { logger, name, certificate, metrics } = this.#options;
    const previous = this.#current;
    if (previous?.certificate === serving.certificate && previous.bundle === serving.bundle) return;
    this.#current = serving;
    const { serialNumber, notAfterMillis } = serving;
    logger.info({ secret: name, serialNumber, notAfter: formatDate(notAfterMillis) }, 'certificate in use');
    if (metrics !== undefined) setExpiration(metrics, certificate, notAfterMillis);
    for (const listener of this.#listeners) listener(serving);
  }
}
