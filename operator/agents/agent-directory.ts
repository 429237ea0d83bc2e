import { listAll } from '../../admission/list-all.ts';
import { hasReason, StatusError } from '../../core/errors/status.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { ExpiringCache } from '../../platform/process/expiring-cache.ts';
import type { Lease } from '../../platform/kube/lease.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { makeAgentUnavailableError } from './agent-failure.ts';
import {
  agentLeasePrefix,
  nodeLeaseNamespace,
  planAgentEndpoint,
  type AgentEndpoint,
  type AgentPresence,
  type EndpointRules,
} from './plan-agent-endpoint.ts';

export interface AgentDirectoryOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly domain: string;
  /** The namespace of the release: Leases of other namespaces are not believed, but for those of nodes without a kubelet. */
  readonly namespace: string;
  readonly allowsLoopback: boolean;
}

const LIFE_MILLIS = 5_000;
const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' } as const;

/** Where the agents of nodes are, by the Leases that they renew; what is known of all is some seconds old at most. */
export class AgentDirectory {
  readonly #options: AgentDirectoryOptions;
  readonly #known: ExpiringCache<Map<string, AgentPresence>>;

  constructor(options: AgentDirectoryOptions) {
    this.#options = options;
    this.#known = new ExpiringCache({ clock: options.clock, maxEntries: 1, lifeMillis: () => LIFE_MILLIS });
  }

  /** Every node that has an agent, or had one, by name. */
  list(): Promise<ReadonlyMap<string, AgentPresence>> {
    return this.#known.find('all', () => this.#listAll());
  }

  /** The agent of a node, as its Lease says now. Throws a StatusError (503) that names the node when none can be asked. */
  async find(nodeName: string): Promise<AgentEndpoint> {
    const { namespace } = this.#options;
    const own = await this.#read(namespace, `${agentLeasePrefix}${nodeName}`);
    const presence =
      own !== undefined && 'address' in own ? own : ((await this.#read(nodeLeaseNamespace, nodeName)) ?? own);
    if (presence === undefined) throw makeAgentUnavailableError(nodeName, 'no agent reports from there');
    if ('obstacle' in presence) throw makeAgentUnavailableError(nodeName, presence.obstacle);
    return presence;
  }

  /** Where the agent is now that was thought to be here; `undefined` when nothing else is known of it. `list` tells the same from then on. */
  async findMoved({ nodeName, address, port }: AgentEndpoint): Promise<AgentEndpoint | undefined> {
    const now = await this.find(nodeName).catch((error: unknown) => {
      if (error instanceof StatusError) return undefined;
      throw error;
    });
    if (now === undefined || (now.address === address && now.port === port)) return undefined;
    const known = await this.#known.find('all', () => this.#listAll());
    known.set(nodeName, now);
    return now;
  }

  get #rules(): EndpointRules {
    const { domain, allowsLoopback, clock } = this.#options;
    return { domain, allowsLoopback, nowMillis: clock.now() };
  }

  async #read(namespace: string, name: string): Promise<AgentPresence | undefined> {
    const reference = { resource: leases, namespace, name };
    const lease = await getIfPresent<Lease>(this.#options.client, reference).catch(ignoreForbidden(namespace));
    return lease === undefined ? undefined : planAgentEndpoint(lease, this.#rules);
  }

  async #listAll(): Promise<Map<string, AgentPresence>> {
    const found = new Map<string, AgentPresence>();
    // Those of the release count most.
    for (const namespace of [nodeLeaseNamespace, this.#options.namespace]) {
      const listed = listAll<Lease>(this.#options.client, { resource: leases, namespace });
      for (const lease of (await listed.catch(ignoreForbidden(namespace))) ?? []) {
        const presence = planAgentEndpoint(lease, this.#rules);
        if (presence === undefined) continue;
        const known = found.get(presence.nodeName);
        if (known === undefined || 'address' in presence) found.set(presence.nodeName, presence);
      }
    }
    return found;
  }
}

/** Where every node has a kubelet, an operator need not read the Leases of nodes. */
function ignoreForbidden(namespace: string): (error: unknown) => undefined {
  return (error) => {
    if (namespace === nodeLeaseNamespace && hasReason(error, 'Forbidden')) return undefined;
    throw error;
  };
}
