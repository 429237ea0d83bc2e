import { nameAgentAudience } from '../../platform/agents/agent-identity.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { ExpiringCache } from '../../platform/process/expiring-cache.ts';

/** A token that was issued. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresMillis: number;
}

/** How tokens for agents are had. */
export interface AgentTokensOptions {
  readonly domain: string;
  readonly clock: Clock;
  /** Issues a token for one audience that is good for so long. */
  readonly issue: (audience: string, expirationSeconds: number) => Promise<IssuedToken>;
}

/** The shortest that an API server issues. */
const expirationSeconds = 600;
/** Part of a token's life after which it is not shown to anybody any more. */
const usedPart = 0.7;
const maxNodes = 8_192;

/** Tokens by which agents know the operator, each for one node's agent, kept for the most part of their short lives. */
export class AgentTokens {
  readonly #options: AgentTokensOptions;
  readonly #tokens: ExpiringCache<IssuedToken>;

  constructor(options: AgentTokensOptions) {
    const { clock } = options;
    this.#options = options;
    this.#tokens = new ExpiringCache({
      clock,
      maxEntries: maxNodes,
      lifeMillis: ({ expiresMillis }) => (expiresMillis - clock.now()) * usedPart,
    });
  }

  /** A token for the agent of this node; rejects when none is issued. */
  async read(nodeName: string): Promise<string> {
    const { domain, issue } = this.#options;
    const audience = nameAgentAudience(domain, nodeName);
    const { token } = await this.#tokens.find(nodeName, () => issue(audience, expirationSeconds));
    return token;
  }
}
