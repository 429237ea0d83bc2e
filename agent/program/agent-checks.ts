import type { HealthCheck } from '../../platform/process/health-check.ts';
import type { ContainerRuntime } from '../cri/container-runtime.ts';
import type { NodeStatusSource } from '../status/node-status-source.ts';

/** How far the start has come. */
export interface AgentProgress {
  /** What answers requests; `undefined` until it does. */
  server: { readonly isListening: boolean } | undefined;
  /** What measures the node; `undefined` until there is a port to tell of. */
  status: NodeStatusSource | undefined;
}

const runtimeMillis = 4_000;

/** What the service manager's watchdog hears of: whether the agent itself lives, not what it depends on. */
export function makeLivenessChecks(progress: AgentProgress): HealthCheck[] {
  return [
    {
      name: 'server',
      check: async () =>
        progress.server === undefined || progress.server.isListening ? undefined : 'it takes no connections any more',
    },
  ];
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
        ending.aborted ? 'about to end' : progress.server === undefined ? 'not answering yet' : undefined,
    },
  ];
}
