import type { HealthCheck } from '../../platform/process/health-check.ts';
import { fetchServedCertificate } from '../../platform/certificates/check-served-certificate.ts';
import type { ContainerRuntime } from '../cri/container-runtime.ts';
import type { NodeStatusSource } from '../status/node-status-source.ts';

/** How far the start has come. */
export interface AgentProgress {
  /** Where requests are answered; `undefined` until they are. */
  served: { readonly address: string; readonly port: number } | undefined;
  /** What measures the node; `undefined` until there is a port to tell of. */
  status: NodeStatusSource | undefined;
}

const runtimeMillis = 4_000;

/** Where a program reaches itself that listens on `address`. */
function findLocalAddress(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}

/** Whether new connections are answered. */
function makeServerCheck(progress: AgentProgress, nodeName: string): HealthCheck {
  return {
    name: 'server',
    async check() {
      if (progress.served === undefined) return undefined;
      const { address, port } = progress.served;
      try {
        await fetchServedCertificate({ address: findLocalAddress(address), port, serverName: nodeName });
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
}

/** What the service manager's watchdog hears of: whether the agent itself lives, not what it depends on. */
export function makeLivenessChecks(progress: AgentProgress, nodeName: string): HealthCheck[] {
  return [makeServerCheck(progress, nodeName)];
}

/** What `/healthz` tells, and `/readyz` besides: a runtime that is away makes the agent not ready, and a restart would not help. */
export function makeHealthChecks(options: {
  readonly progress: AgentProgress;
  readonly runtime: Pick<ContainerRuntime, 'readVersion'>;
  readonly ending: AbortSignal;
}): HealthCheck[] {
  const { progress, runtime, ending } = options;
  return [
    {
      name: 'runtime',
      readinessOnly: true,
      async check() {
        try {
          await runtime.readVersion({ timeoutMillis: runtimeMillis });
          return undefined;
        } catch (error) {
          return (error as Error).message;
        }
      },
    },
    {
      name: 'serving',
      readinessOnly: true,
      check: async () =>
        ending.aborted ? 'about to end' : progress.served === undefined ? 'not answering yet' : undefined,
    },
  ];
}
