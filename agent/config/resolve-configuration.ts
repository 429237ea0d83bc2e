import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { FieldError } from '../../core/errors/field-error.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import { quantityToInteger, readQuantity } from '../../core/quantity/quantity.ts';
import { parseGoDuration } from '../../core/time/parse-go-duration.ts';
import {
  type CheckpointSettings,
  defaultCheckpointSettings,
  type RetentionLimit,
} from '../checkpoint/checkpoint-settings.ts';
import { parseRuntimeEndpoint } from '../cri/parse-runtime-endpoint.ts';
import { checkReserved } from '../status/plan-capacity.ts';
import { planThresholds } from '../status/plan-thresholds.ts';
import type { AgentConfiguration, NodeTaint } from './agent-configuration.ts';
import { resolveFeatureGates } from './feature-gates.ts';

/** A complete configuration as a file has it: decoding and defaults have seen to the types. */
interface CompleteDocument {
  readonly address: string;
  readonly port: number;
  readonly healthzBindAddress: string;
  readonly healthzPort: number;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly tlsMinVersion: 'VersionTLS12' | 'VersionTLS13';
  readonly tlsCipherSuites?: readonly string[];
  readonly serverTLSBootstrap: boolean;
  readonly authentication: {
    readonly x509: { readonly clientCAFile?: string };
    readonly webhook: { readonly enabled: boolean; readonly cacheTTL: string };
    readonly anonymous: { readonly enabled: boolean };
  };
  readonly authorization: {
    readonly mode: 'Webhook' | 'AlwaysAllow';
    readonly webhook: { readonly cacheAuthorizedTTL: string; readonly cacheUnauthorizedTTL: string };
  };
  readonly containerRuntimeEndpoint: string;
  readonly imageServiceEndpoint?: string;
  readonly runtimeRequestTimeout: string;
  readonly nodeStatusUpdateFrequency: string;
  readonly nodeStatusReportFrequency: string;
  readonly nodeLeaseDurationSeconds: number;
  readonly registerNode: boolean;
  readonly registerWithTaints?: readonly NodeTaint[];
  readonly providerID?: string;
  readonly maxPods: number;
  readonly podsPerCore: number;
  readonly evictionHard: Readonly<Record<string, string>>;
  readonly evictionPressureTransitionPeriod: string;
  readonly kubeReserved?: Readonly<Record<string, string>>;
  readonly systemReserved?: Readonly<Record<string, string>>;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly nftables: { readonly skipKernelVersionCheck: boolean };
  readonly checkpoints: {
    readonly parallel: number;
    readonly defaultTimeout?: string;
    readonly minimumFreeBytes?: string;
    readonly retention: {
      readonly maxAge: string;
      readonly podGoneAge: string;
      readonly container: LimitDocument;
      readonly pod: LimitDocument;
      readonly namespace: LimitDocument;
      readonly node: LimitDocument;
    };
  };
}

interface LimitDocument {
  readonly maxCount: number;
  readonly maxBytes: string;
  readonly maxAge: string;
}

function readMillis(text: string): number {
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) throw new TypeError(`a checked duration is none: ${parsed.fault}`);
  return parsed.millis;
}

/** Zero means without an end. */
function readBound(millis: number): number | undefined {
  return millis === 0 ? undefined : millis;
}

function readBytes(text: string): number {
  return Number(quantityToInteger(readQuantity(text)));
}

function readLimit({ maxCount, maxBytes, maxAge }: LimitDocument): RetentionLimit {
  return {
    maxCount: readBound(maxCount),
    maxBytes: readBound(readBytes(maxBytes)),
    maxAgeMillis: readBound(readMillis(maxAge)),
  };
}

/** What must stay free: a quantity or a share; nothing given means both of the defaults. */
function readMinimumFree(text: string | undefined): Pick<CheckpointSettings, 'minimumFreeBytes' | 'minimumFreeShare'> {
  if (text === undefined) {
    const { minimumFreeBytes, minimumFreeShare } = defaultCheckpointSettings;
    return { minimumFreeBytes, minimumFreeShare };
  }
  if (text.endsWith('%')) return { minimumFreeBytes: 0, minimumFreeShare: Number.parseFloat(text) / 100 };
  return { minimumFreeBytes: readBytes(text), minimumFreeShare: 0 };
}

/** The settings that a complete configuration comes to. */
export function resolveConfiguration(complete: JsonObject): AgentConfiguration {
  const document = complete as unknown as CompleteDocument;
  const { authentication, authorization, checkpoints } = document;
  const { retention, defaultTimeout } = checkpoints;
  return {
    address: document.address,
    port: document.port,
    healthzBindAddress: document.healthzBindAddress,
    healthzPort: document.healthzPort,
    tlsCertFile: document.tlsCertFile || undefined,
    tlsPrivateKeyFile: document.tlsPrivateKeyFile || undefined,
    tlsMinVersion: document.tlsMinVersion === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
    tlsCipherSuites: document.tlsCipherSuites ?? [],
    serverTlsBootstrap: document.serverTLSBootstrap,
    authentication: {
      x509: { clientCaFile: authentication.x509.clientCAFile || undefined },
      webhook: {
        enabled: authentication.webhook.enabled,
        cacheTtlMillis: readMillis(authentication.webhook.cacheTTL),
      },
      anonymous: authentication.anonymous,
    },
    authorization: {
      mode: authorization.mode,
      webhook: {
        cacheAuthorizedTtlMillis: readMillis(authorization.webhook.cacheAuthorizedTTL),
        cacheUnauthorizedTtlMillis: readMillis(authorization.webhook.cacheUnauthorizedTTL),
      },
    },
    containerRuntimeEndpoint: document.containerRuntimeEndpoint,
    imageServiceEndpoint: document.imageServiceEndpoint ?? document.containerRuntimeEndpoint,
    runtimeRequestTimeoutMillis: readMillis(document.runtimeRequestTimeout),
    nodeStatusUpdateFrequencyMillis: readMillis(document.nodeStatusUpdateFrequency),
    nodeStatusReportFrequencyMillis: readMillis(document.nodeStatusReportFrequency),
    nodeLeaseDurationSeconds: document.nodeLeaseDurationSeconds,
    registerNode: document.registerNode,
    registerWithTaints: document.registerWithTaints ?? [],
    providerId: document.providerID ?? '',
    maxPods: document.maxPods,
    podsPerCore: document.podsPerCore,
    evictionHard: document.evictionHard,
    evictionPressureTransitionPeriodMillis: readMillis(document.evictionPressureTransitionPeriod),
    kubeReserved: document.kubeReserved ?? {},
    systemReserved: document.systemReserved ?? {},
    nftables: document.nftables,
    gates: resolveFeatureGates(document.featureGates ?? {}),
    checkpoints: {
      parallel: checkpoints.parallel,
      defaultTimeoutMillis: defaultTimeout === undefined ? undefined : readMillis(defaultTimeout),
      ...readMinimumFree(checkpoints.minimumFreeBytes),
      retention: {
        maxAgeMillis: readBound(readMillis(retention.maxAge)),
        podGoneAgeMillis: readBound(readMillis(retention.podGoneAge)),
        container: readLimit(retention.container),
        pod: readLimit(retention.pod),
        namespace: readLimit(retention.namespace),
        node: readLimit(retention.node),
      },
    },
  };
}

function isCipherSuite(name: string): boolean {
  if (!name.startsWith('TLS_')) return false;
  try {
    createSecureContext({ ciphers: name });
    return true;
  } catch {
    return false;
  }
}

/** What cannot be in settings whose fields are good each by itself. */
export function findConfigurationFaults(configuration: AgentConfiguration): FieldError[] {
  const faults: FieldError[] = [];
  const { tlsCertFile, tlsPrivateKeyFile } = configuration;
  for (const name of ['address', 'healthzBindAddress'] as const) {
    const address = configuration[name];
    if (isIP(address) === 0) faults.push(makeInvalid(FieldPath.root(name), address, 'must be an IP address'));
  }
  if (tlsCertFile !== undefined && tlsPrivateKeyFile === undefined) {
    faults.push(makeRequired(FieldPath.root('tlsPrivateKeyFile'), 'it goes with tlsCertFile'));
  }
  if (tlsPrivateKeyFile !== undefined && tlsCertFile === undefined) {
    faults.push(makeRequired(FieldPath.root('tlsCertFile'), 'it goes with tlsPrivateKeyFile'));
  }
  for (const name of ['containerRuntimeEndpoint', 'imageServiceEndpoint'] as const) {
    const endpoint = parseRuntimeEndpoint(configuration[name]);
    if ('error' in endpoint) faults.push(makeInvalid(FieldPath.root(name), configuration[name], endpoint.error));
  }
  for (const [index, name] of configuration.tlsCipherSuites.entries()) {
    if (isCipherSuite(name)) continue;
    const path = FieldPath.root('tlsCipherSuites').index(index);
    faults.push(makeInvalid(path, name, `Cipher suite ${name} not supported or doesn't exist`));
  }
  const { evictionHard } = configuration;
  for (const { signal, message } of planThresholds(evictionHard).faults) {
    faults.push(makeInvalid(FieldPath.root('evictionHard').key(signal), evictionHard[signal], message));
  }
  for (const name of ['kubeReserved', 'systemReserved'] as const) {
    for (const { resource, message } of checkReserved(configuration[name])) {
      faults.push(makeInvalid(FieldPath.root(name).key(resource), configuration[name][resource], message));
    }
  }
  return faults;
}
