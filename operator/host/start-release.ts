import { hostname } from 'node:os';

import type { KindRegistry } from '../../kinds/registry.ts';
import { FollowedServingCertificate } from '../../platform/certificates/follow-serving-certificate.ts';
import { EventRecorder } from '../../platform/kube/event-recorder.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import { FollowedEnforcement } from '../../platform/release/follow-enforcement.ts';
import { buildReleaseNames } from '../../platform/release/release-names.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { HostConfig } from '../bootstrap/operator-flags.ts';
import { CertificatesController } from '../controllers/certificates/certificates-controller.ts';
import type { Controller } from '../controllers/controller-parts.ts';
import { buildRegistrations } from '../controllers/registrations/build-registrations.ts';
import type { ProgramParts } from '../started-service.ts';

/** What a release at a host needs besides the program's parts. */
export interface ReleaseOptions {
  readonly config: HostConfig;
  readonly release: string;
  readonly namespace: string;
  readonly client: ResourceClient;
  readonly registry: KindRegistry;
  readonly metrics: Registry;
}

function readHostName(url: string | undefined): string[] {
  return url === undefined ? [] : [new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')];
}

/** Begins to follow what a release is told, and returns what builds the controllers of a leader's term: certificates and registrations. */
export function startRelease(options: ReleaseOptions, program: ProgramParts): () => Controller[] {
  const { config, release, namespace, client, registry, metrics } = options;
  const { shutdown, logger, clock } = program;
  const names = buildReleaseNames(release, namespace);
  const events = new EventRecorder({
    ...{ client, clock, logger, registry, component: 'bailiwick-operator', instance: hostname() },
  });
  const enforcement = new FollowedEnforcement({
    ...{ client, clock, logger, metrics, namespace, name: names.settings },
    onFault: (fault, settings) => {
      if (settings !== undefined)
        events.record(settings, 'Warning', 'InvalidSettings', `Decisions are enforced: ${fault}`);
    },
  });
  const webhooksCertificate = new FollowedServingCertificate({
    ...{ client, clock, logger, namespace, name: names.webhooksCertificate, certificate: 'webhooks' },
  });
  shutdown.add('events', () => events.close());
  shutdown.add('settings', () => enforcement.close());
  shutdown.add('certificate of the webhooks', () => webhooksCertificate.close());
  const followed = Promise.all([enforcement.start(), webhooksCertificate.start()]);
  const common = { client, clock, logger, names, release, namespace, events, metrics };
  return () => {
    const certificates = new CertificatesController({
      ...common,
      domain: config.domain,
      mode: config.certificates,
      settings: {
        authorityValidityMillis: config.authorityValiditySeconds * 1_000,
        servingValidityMillis: config.certificateValiditySeconds * 1_000,
        settleMillis: config.certificateSettleSeconds * 1_000,
      },
      webhooksNames: readHostName(config.webhooksUrl),
    });
    const registrations = buildRegistrations({
      ...{ ...common, registry, enforcement, webhooksUrl: config.webhooksUrl },
      caBundle: webhooksCertificate.bundles,
    });
    return [
      certificates,
      {
        // What is not known yet must not be taken for the default: one that was switched off would come back.
        start: async () => {
          await followed;
          await registrations.start();
        },
        close: () => registrations.close(),
      },
    ];
  };
}
