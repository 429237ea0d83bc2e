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
/** A token that is refused when it is as new as this is not what is wrong. */
const newMillis = 10_000;

interface HeldToken extends IssuedToken {
  readonly issuedMillis: number;
}

/** Tokens by which agents know the operator, each for one node's agent, kept for the most part of their short lives. */
export class AgentTokens {
  readonly #options: AgentTokensOptions;
  readonly #tokens: ExpiringCache<HeldToken>;

  constructor(options: AgentTokensOptions) {
    const { clock } = options;
    this.#options = options;
    this.#tokens = new ExpiringCache({
      clock,
      maxEntries: maxNodes,
      // The API server's clock may be ahead of this one.
      lifeMillis: ({ expiresMillis }) => Math.min(expiresMillis - clock.now(), expirationSeconds * 1_000) * usedPart,
    });
  }

  /** A token for the agent of this node; rejects when none is issued. */
  async read(nodeName: string): Promise<string> {
    return (await this.#find(nodeName)).token;
  }

  /** Another token in place of one that the agent of this node refused; `undefined` when that one is as good as any. */
  async replace(nodeName: string, refused: string): Promise<string | undefined> {
    const known = this.#find(nodeName);
    const held = await known;
    if (held.token !== refused) return held.token;
    const age = this.#options.clock.now() - held.issuedMillis;
    if (age >= 0 && age < newMillis) return undefined;
    this.#tokens.forget(nodeName, known);
    return this.read(nodeName);
  }

  #find(nodeName: string): Promise<HeldToken> {
    const { domain, clock, issue } = this.#options;
    const audience = nameAgentAudience(domain, nodeName);
    return this.#tokens.find(nodeName, async () => ({
      ...(await issue(audience, expirationSeconds)),
      issuedMillis: clock.now(),
    }));
  }
}
