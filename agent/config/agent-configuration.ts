import type { CheckpointSettings } from '../checkpoint/checkpoint-settings.ts';
import type { FeatureGates } from './feature-gates.ts';

/** What the agent runs by: defaults, the file, its drop-ins and the flags, in this order, checked. Paths are absolute. */
export interface AgentConfiguration {
  readonly address: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Address of the plain health server. */
  readonly healthzBindAddress: string;
  /** 0: there is no plain health server. */
  readonly healthzPort: number;
  /** `undefined`: the certificate that the agent keeps itself. */
  readonly tlsCertFile: string | undefined;
  readonly tlsPrivateKeyFile: string | undefined;
  readonly tlsMinVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Names as OpenSSL knows them; empty: Node's own choice. */
  readonly tlsCipherSuites: readonly string[];
  /** Whether the serving certificate is asked for at the API. */
  readonly serverTlsBootstrap: boolean;
  readonly authentication: {
    readonly x509: { readonly clientCaFile: string | undefined };
    readonly webhook: { readonly enabled: boolean; readonly cacheTtlMillis: number };
    readonly anonymous: { readonly enabled: boolean };
  };
  readonly authorization: {
    readonly mode: 'Webhook' | 'AlwaysAllow';
    readonly webhook: { readonly cacheAuthorizedTtlMillis: number; readonly cacheUnauthorizedTtlMillis: number };
  };
  readonly containerRuntimeEndpoint: string;
  /** Same as that of the runtime unless said otherwise. */
  readonly imageServiceEndpoint: string;
  readonly runtimeRequestTimeoutMillis: number;
  readonly nodeStatusUpdateFrequencyMillis: number;
  readonly nodeStatusReportFrequencyMillis: number;
  readonly nodeLeaseDurationSeconds: number;
  readonly registerNode: boolean;
  readonly registerWithTaints: readonly NodeTaint[];
  readonly providerId: string;
  readonly maxPods: number;
  /** 0: only `maxPods` limits. */
  readonly podsPerCore: number;
  /** Thresholds by signal, such as `memory.available` and `100Mi` or `10%`. */
  readonly evictionHard: Readonly<Record<string, string>>;
  /** How long a condition of pressure stays after its cause has gone. */
  readonly evictionPressureTransitionPeriodMillis: number;
  /** Quantities by resource. */
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly nftables: { readonly skipKernelVersionCheck: boolean };
  readonly gates: FeatureGates;
  readonly checkpoints: CheckpointSettings;
}

/** A taint that the agent's Node is registered with. */
export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}
