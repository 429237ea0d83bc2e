import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { AgentTrust } from '../agent-trust/agent-trust.ts';
import type { SubresourceHandler } from '../apiserver/subresource-handler.ts';
import { AgentConnections } from './agent-connections.ts';
import { AgentDirectory } from './agent-directory.ts';
import { CheckpointAgents } from './checkpoint-agents.ts';
import { createConnectHandlers } from './connect-checkpoints.ts';
import { HeldCheckpoints } from './held-checkpoints.ts';
import { NamespaceOrigins } from './namespace-origins.ts';

/** What serving checkpoints needs. */
export interface CheckpointHandlersOptions {
  readonly domain: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The verbs in the name of the operator: it reads pods, namespaces, and the Leases of agents. */
  readonly client: ResourceClient;
  readonly trust: AgentTrust;
  /** The namespace whose Leases tell where agents are. */
  readonly namespace: string;
  /** Whether agents may be on this machine. */
  readonly allowsLoopback: boolean;
}

/** What serves checkpoints. */
export interface CheckpointHandlers {
  readonly handlers: SubresourceHandler[];
  /** Removes what agents hold for a namespace. Throws a StatusError while one does not do so. */
  removeAll(namespace: string): Promise<void>;
  /** Calls off what `removeAll` is about, for good. */
  endRemovals(): void;
  /** Ends idle connections. */
  close(): void;
}

/** Handlers of `checkpoints` and `pods/checkpoint` in `node.{domain}`, embedded and on a host. */
export function createCheckpointHandlers(options: CheckpointHandlersOptions): CheckpointHandlers {
  const { domain, client, clock, trust, logger } = options;
  const connections = new AgentConnections({ trust, logger, userAgent: 'bailiwick-operator/0.1' });
  const agents = new CheckpointAgents({ connections, domain });
  const directory = new AgentDirectory(options);
  const origins = new NamespaceOrigins(options);
  const held = new HeldCheckpoints({ agents, directory, origins, domain, clock, logger });
  return {
    handlers: [held.asHandler(), ...createConnectHandlers({ domain, client, directory, agents, held })],
    removeAll: (namespace) => held.removeAll(namespace),
    endRemovals: () => held.endRemovals(),
    close: () => connections.close(),
  };
}
