/** How the operator trusts node agents, and shows them who it is. */
export interface AgentTrust {
  /**
   * PEM text of every authority that an agent's serving certificate may lead to, as of now; `undefined` while none is known: then no agent
   * may be called. The server name to check is the node's.
   */
  readRoots(): string | undefined;
  /**
   * A bearer token for the agent of this node, good for some minutes at least: it is meant for that agent alone, so neither the API server
   * nor another agent takes it. Rejects when none can be had.
   */
  readToken(nodeName: string): Promise<string>;
  /**
   * Another such token in place of one that the agent refused, as after the account was made anew; `undefined` when there is no better one.
   * Rejects when none can be had.
   */
  replaceToken(nodeName: string, refused: string): Promise<string | undefined>;
}
