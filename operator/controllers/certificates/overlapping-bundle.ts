import type { CallerTrustSource } from '../../../platform/certificates/caller-trust.ts';
import type { ServedFacts } from '../../../platform/certificates/certificate-facts.ts';
import type { CaBundleSource, ServingCertificate } from '../../../platform/certificates/certificate-source.ts';
import { planOverlap } from '../../../platform/certificates/plan-overlap.ts';
import { joinCertificates, readCertificates } from '../../../platform/certificates/read-certificate.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import { createControllerQueue } from '../controller-parts.ts';
import type { Controller, ControllerOptions } from '../controller-parts.ts';

/** What an overlap is found from. */
export interface OverlappingBundleOptions extends Pick<ControllerOptions, 'clock' | 'logger' | 'client'> {
  /** Name of the Secret, for logs. */
  readonly secret: string;
  /** The last good certificate of the Secret, whether it is served yet or not. */
  readonly offered: {
    latest(): ServingCertificate | undefined;
    readonly bundles: CaBundleSource;
  };
  readonly callers: CallerTrustSource;
  /** How long authorities stay when others have taken their place everywhere. */
  readonly settleMillis: number;
  /** What the replicas really serve. */
  readonly probe: () => Promise<readonly ServedFacts[]>;
}

const queueKey = 'bundle';
/** How long to wait before replicas are asked again what they serve. */
const askAgainMillis = 15_000;

/**
 * What callers are to trust where somebody else replaces a certificate and its authority in one write: the authorities of the Secret, and
 * for as long as they may be needed those that callers trust already. Only the leader may run it.
 */
export class OverlappingBundle implements CaBundleSource, Controller {
  readonly #options: OverlappingBundleOptions;
  readonly #queue: WorkQueue;
  readonly #listeners = new Set<(bundle: string) => void>();
  #ends: (() => void)[] = [];
  #current: string | undefined;
  #offered: string | undefined;
  #offeredSinceMillis = 0;

  constructor(options: OverlappingBundleOptions) {
    this.#options = options;
    this.#queue = createControllerQueue(options, 'certificate-overlap', () => this.#look());
  }

  /** Resolves when the bundle is known, if there is a certificate. */
  async start(): Promise<void> {
    const { offered, callers } = this.#options;
    const look = (): void => this.#queue.add(queueKey);
    this.#ends = [offered.bundles.subscribe(look), callers.subscribe(look)];
    look();
    await this.#queue.waitUntilIdle();
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await this.#queue.close();
  }

  current(): string | undefined {
    return this.#current;
  }

  subscribe(listener: (bundle: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #look(): Promise<WorkResult | undefined> {
    const { clock, logger, secret, offered, settleMillis, probe } = this.#options;
    const serving = offered.latest();
    const callers = this.#options.callers.current();
    if (serving === undefined || callers === undefined) return undefined;
    const nowMillis = clock.now();
    if (this.#offered !== serving.certificate) {
      this.#offered = serving.certificate;
      this.#offeredSinceMillis = nowMillis;
    }
    const facts = {
      ...{ nowMillis, settleMillis, callers, offeredSinceMillis: this.#offeredSinceMillis },
      chain: readCertificates(serving.certificate),
      offered: readCertificates(serving.bundle),
    };
    let plan = planOverlap({ ...facts, served: [{}] });
    // Replicas need not be asked where nothing depends on their answers.
    if (plan.isOverlapping) plan = planOverlap({ ...facts, served: await probe() });
    const bundle = joinCertificates(plan.bundle);
    if (bundle !== this.#current) {
      this.#current = bundle;
      logger.info({ secret, authorities: plan.bundle.length }, 'the authorities that callers are to trust changed');
      for (const listener of this.#listeners) listener(bundle);
    }
    if (!plan.isOverlapping) return undefined;
    const waitMillis = plan.againAtMillis === undefined ? askAgainMillis : plan.againAtMillis - nowMillis;
    return { againAfterMillis: Math.min(waitMillis, askAgainMillis) };
  }
}
