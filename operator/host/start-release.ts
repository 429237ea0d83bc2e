import type { KindRegistry } from '../../kinds/registry.ts';
import type { CertificateSettings } from '../../platform/certificates/certificate-facts.ts';
import type { FollowedServingCertificate } from '../../platform/certificates/follow-serving-certificate.ts';
import type { EventRecorder } from '../../platform/kube/event-recorder.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import type { EnforcementSource } from '../../platform/release/enforcement.ts';
import { FollowedEnforcement } from '../../platform/release/follow-enforcement.ts';
import type { ReleaseNames } from '../../platform/release/release-names.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { HostConfig } from '../bootstrap/operator-flags.ts';
import { CertificatesController } from '../controllers/certificates/certificates-controller.ts';
import type { Controller } from '../controllers/controller-parts.ts';
import { RegisteredEntries } from '../controllers/registrations/registered-entries.ts';
import { buildInvalidObjects, buildRegistrations } from '../controllers/registrations/build-registrations.ts';
import type { ProgramParts } from '../started-service.ts';
import { followReleaseCertificates } from './follow-release-certificates.ts';

/** What a release at a host needs besides the program's parts. */
export interface ReleaseOptions {
  readonly config: HostConfig;
  readonly release: string;
  readonly namespace: string;
  readonly names: ReleaseNames;
  readonly client: ResourceClient;
  readonly registry: KindRegistry;
  readonly events: EventRecorder;
  readonly metrics: Registry;
}

/** What a release brings. */
export interface Release {
  /** Whether its decisions bind. */
  readonly enforcement: EnforcementSource;
  /** The certificate of the operator's own ports. */
  readonly certificate: FollowedServingCertificate;
  /** About what the host asks the webhooks, as the leader knows. */
  readonly registered: RegisteredEntries;
  /** New controllers for one term of leading: certificates and registrations. */
  buildControllers(): Controller[];
}

function readHostName(url: string | undefined): string[] {
  return url === undefined ? [] : [new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')];
}

/** The periods that the operator makes certificates for. */
export function readCertificateSettings(
  config: Pick<HostConfig, 'authorityValiditySeconds' | 'certificateValiditySeconds' | 'certificateSettleSeconds'>,
): CertificateSettings {
  return {
    authorityValidityMillis: config.authorityValiditySeconds * 1_000,
    servingValidityMillis: config.certificateValiditySeconds * 1_000,
    settleMillis: config.certificateSettleSeconds * 1_000,
  };
}

/** Begins to follow what a release is told and which certificates it has. */
export function startRelease(options: ReleaseOptions, program: ProgramParts): Release {
  const { config, release, namespace, names, client, registry, events, metrics } = options;
  const { shutdown, logger, clock } = program;
  const enforcement = new FollowedEnforcement({
    ...{ client, clock, logger, metrics, namespace, name: names.settings },
    onFault: (fault, settings) => {
      if (settings !== undefined)
        events.record(settings, 'Warning', 'InvalidSettings', `Decisions are enforced: ${fault}`);
    },
  });
  const certificates = followReleaseCertificates({ config, names, namespace, client, clock, logger, shutdown });
  shutdown.add('settings', () => enforcement.close());
  const followed = Promise.all([enforcement.start(), certificates.started]);
  const common = { client, clock, logger, names, release, namespace, events, metrics };
  const registered = new RegisteredEntries();
  const buildControllers = (): Controller[] => {
    const bundles = certificates.buildBundles();
    const certificatesController = new CertificatesController({
      ...common,
      ...{ domain: config.domain, hasAgents: config.hasAgents },
      mode: config.certificates,
      settings: readCertificateSettings(config),
      webhooksNames: readHostName(config.webhooksUrl),
      operatorBundle: bundles.operator,
    });
    const registrations = buildRegistrations({
      ...{ ...common, registry, enforcement, registered, webhooksUrl: config.webhooksUrl },
      caBundle: bundles.webhooks,
    });
    return [
      bundles,
      certificatesController,
      {
        // What is not known yet must not be taken for the default: one that was switched off would come back.
        start: async () => {
          await followed;
          await registrations.start();
        },
        close: () => registrations.close(),
      },
      buildInvalidObjects({ ...common, registry }),
    ];
  };
  return { enforcement, certificate: certificates.operator, registered, buildControllers };
}
