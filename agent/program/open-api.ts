import { openHostConnection } from '../../platform/kube/open-host-connection.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import { StartError } from '../../platform/process/start-error.ts';
import { findReleaseNamespace } from '../../platform/release/find-release-namespace.ts';
import { foreignKinds } from '../../platform/resources/foreign-kinds.ts';
import { createHostResourceClient } from '../../platform/resources/host-resource-client.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { AgentFlags } from '../config/agent-flags.ts';
import { agentVersion } from '../status/agent-version.ts';

/** The API that the agent reports to. */
export interface AgentApi {
  readonly client: ResourceClient;
  /** Where the agent's Lease is, beside a kubelet. */
  readonly namespace: string;
  close(): void;
}

const requestTimeoutMillis = 10_000;
/** Where the embedded service looks for agents. */
const defaultNamespace = 'kube-system';

/** Whether this program has, by its flags or as a pod, a way to an API. */
export function hasApi({ kubeconfig }: AgentFlags, environment: NodeJS.ProcessEnv): boolean {
  return kubeconfig !== undefined || (environment['KUBERNETES_SERVICE_HOST'] ?? '') !== '';
}

/** Opens the way to the API; it is not asked yet. Throws a StartError for credentials that cannot be used. */
export async function openApi(
  { kubeconfig, domain, namespace }: AgentFlags,
  parts: { readonly clock: Clock; readonly logger: Logger; readonly metrics: Registry },
): Promise<AgentApi> {
  try {
    const connection = await openHostConnection({
      ...parts,
      userAgent: `bailiwick-agent/${agentVersion}`,
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
    });
    const client = createHostResourceClient({
      ...{ connection, registry: foreignKinds(domain), clock: parts.clock, requestTimeoutMillis },
    });
    const own = kubeconfig === undefined ? await findReleaseNamespace() : defaultNamespace;
    return { client, namespace: namespace ?? own, close: () => connection.close() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    throw new StartError(`${(error as Error).message}${cause}`, { cause: error });
  }
}
