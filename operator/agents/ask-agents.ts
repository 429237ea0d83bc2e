import { StatusError } from '../../core/errors/status.ts';
import { AgentHang } from './agent-failure.ts';
import type { HungAgents } from './hung-agents.ts';
import type { AgentEndpoint, AgentPresence } from './plan-agent-endpoint.ts';

/** What asking many agents came to. */
export interface AgentAnswers<T> {
  /** By node. */
  readonly answers: ReadonlyMap<string, T>;
  /** Nodes that gave none, in the order of their names. */
  readonly silent: readonly string[];
}

const CONCURRENCY = 32;
const MAX_NAMED = 10;
/** How long all agents together may take; a host's aggregator waits for a minute. */
const ALL_MILLIS = 20_000;

/** How agents are asked. */
export interface AskOptions {
  readonly signal: AbortSignal;
  /** Those of them count as silent at once. */
  readonly hung: HungAgents;
  /** Told why an agent gave no answer. */
  readonly onSilent: (nodeName: string, obstacle: string) => void;
}

/** Asks these agents, some at a time. An agent that refuses or cannot be reached is silent; anything else that is thrown is thrown on. */
export async function askAgents<T>(
  agents: readonly AgentPresence[],
  ask: (endpoint: AgentEndpoint) => Promise<T>,
  { signal, hung, onSilent }: AskOptions,
): Promise<AgentAnswers<T>> {
  const answers = new Map<string, T>();
  const silent: string[] = [];
  const waiting = agents.values();
  const work = async (): Promise<void> => {
    for (const agent of waiting) {
      if ('obstacle' in agent) {
        silent.push(agent.nodeName);
        onSilent(agent.nodeName, agent.obstacle);
      } else if (signal.aborted) {
        silent.push(agent.nodeName);
      } else if (hung.has(agent.nodeName)) {
        silent.push(agent.nodeName);
        onSilent(agent.nodeName, 'it did not answer in time a moment ago');
      } else {
        try {
          answers.set(agent.nodeName, await ask(agent));
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
          silent.push(agent.nodeName);
          if (error.cause instanceof AgentHang) hung.note(agent.nodeName);
          if (!signal.aborted) onSilent(agent.nodeName, error.message);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, agents.length) }, work));
  return { answers, silent: silent.toSorted() };
}

/** Aborts with `signal`, and when all agents that are asked for one answer have had their time: who is not done by then is silent. */
export function boundAsking(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ALL_MILLIS)]);
}

/** Names of nodes for a message: `a, b and 3 more`. */
export function formatNodes(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${shown} and ${names.length - MAX_NAMED} more` : shown;
}
