import {
  apiServices,
  mutatingConfigurations,
  nameApiServices,
  validatingConfigurations,
} from '../../platform/certificates/certificate-objects.ts';
import type { CaBundleSource } from '../../platform/certificates/certificate-source.ts';
import { FollowedCallerTrust } from '../../platform/certificates/follow-caller-trust.ts';
import { FollowedServingCertificate } from '../../platform/certificates/follow-serving-certificate.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import type { ReleaseNames } from '../../platform/release/release-names.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { HostConfig } from '../bootstrap/operator-flags.ts';
import { OverlappingBundle } from '../controllers/certificates/overlapping-bundle.ts';
import { probeServedCertificates } from '../controllers/certificates/probe-served-certificates.ts';
import type { Controller } from '../controllers/controller-parts.ts';

/** What callers are to trust, for one term of leading; known some time after it is started. */
export interface ReleaseBundles extends Controller {
  readonly webhooks: CaBundleSource;
  readonly operator: CaBundleSource;
}

/** The certificates of a release, followed by every replica. */
export interface ReleaseCertificates {
  /** That of the operator's own ports. */
  readonly operator: FollowedServingCertificate;
  /** Resolves when it is known whether the webhooks have one. */
  readonly started: Promise<void>;
  buildBundles(): ReleaseBundles;
}

/** What is followed, and with what. */
export interface ReleaseCertificatesOptions {
  readonly config: Pick<
    HostConfig,
    'aggregatedPort' | 'certificates' | 'certificateSettleSeconds' | 'domain' | 'hasAgents'
  >;
  readonly names: ReleaseNames;
  readonly namespace: string;
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
}

/** Begins to follow a release's certificates, and what is trusted by those who call it. */
export function followReleaseCertificates(options: ReleaseCertificatesOptions): ReleaseCertificates {
  const { config, names, namespace, client, clock, logger, shutdown } = options;
  const operatorCallers = new FollowedCallerTrust({
    ...{ client, clock, logger },
    // Without that port there is no APIService, and no right to look for one.
    objects:
      config.aggregatedPort === 0 ? [] : nameApiServices(config).map((name) => ({ resource: apiServices, name })),
  });
  const operator = new FollowedServingCertificate({
    ...{ client, clock, logger, namespace, name: names.operatorCertificate, certificate: 'operator' },
    callers: operatorCallers,
  });
  const webhooks = new FollowedServingCertificate({
    ...{ client, clock, logger, namespace, name: names.webhooksCertificate, certificate: 'webhooks' },
  });
  shutdown.add('trust in the operator', () => operatorCallers.close());
  shutdown.add('certificate of the operator', () => operator.close());
  shutdown.add('certificate of the webhooks', () => webhooks.close());
  void operatorCallers.start();
  void operator.start();
  const started = webhooks.start();

  function buildBundles(): ReleaseBundles {
    if (config.certificates === 'own') {
      // An authority of our own overlaps by the steps of the certificates' controller, in the Secrets themselves.
      const nothing = async (): Promise<void> => undefined;
      return { webhooks: webhooks.bundles, operator: operator.bundles, start: nothing, close: nothing };
    }
    const webhooksCallers = new FollowedCallerTrust({
      ...{ client, clock, logger },
      objects: [mutatingConfigurations, validatingConfigurations].map((resource) => ({
        ...{ resource, name: names.webhookConfiguration },
      })),
    });
    const common = {
      ...{ client, clock, logger, settleMillis: config.certificateSettleSeconds * 1_000 },
      probe: () => probeServedCertificates({ client, logger, namespace, services: [names.webhooks, names.operator] }),
    };
    const bundles = {
      webhooks: new OverlappingBundle({
        ...{ ...common, secret: names.webhooksCertificate, offered: webhooks, callers: webhooksCallers },
      }),
      operator: new OverlappingBundle({
        ...{ ...common, secret: names.operatorCertificate, offered: operator, callers: operatorCallers },
      }),
    };
    return {
      ...bundles,
      async start() {
        await Promise.all([started, webhooksCallers.start(), bundles.webhooks.start(), bundles.operator.start()]);
      },
      async close() {
        await Promise.all([bundles.webhooks.close(), bundles.operator.close()]);
        await webhooksCallers.close();
      },
    };
  }
  return { operator, started, buildBundles };
}
