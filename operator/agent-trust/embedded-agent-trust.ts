import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { ServiceAccountTokens } from '../apiserver/authn/service-account-tokens.ts';
import { AgentRoots, type AgentRootsOptions } from './agent-roots.ts';
import { AgentTokens } from './agent-tokens.ts';
import type { AgentTrust } from './agent-trust.ts';

/** What is trusted by the service with a store of its own, and what issues its tokens. */
export interface EmbeddedAgentTrustOptions extends AgentRootsOptions {
  readonly domain: string;
  readonly tokens: ServiceAccountTokens;
}

const serviceAccounts = { group: '', version: 'v1', resource: 'serviceaccounts' };
/** As whom the service calls agents; the default roles let this account do so. */
const callerAccount = { namespace: 'kube-system', name: 'node-agent-caller' };

/** The account's uid; the account is made when there is none. */
async function ensureAccount(client: ResourceClient): Promise<string> {
  const { namespace, name } = callerAccount;
  const reference = { resource: serviceAccounts, namespace };
  const find = async (): Promise<KubeObject | undefined> => getIfPresent(client, { ...reference, name });
  const stored = await find();
  if (stored !== undefined) return stored.metadata.uid ?? '';
  try {
    const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
    return (await client.create(reference, account)).metadata.uid ?? '';
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
    return (await find())?.metadata.uid ?? '';
  }
}

/** How the service with a store of its own trusts agents, until it is closed. Throws a StartError when more authorities cannot be read. */
export async function openEmbeddedAgentTrust(
  options: EmbeddedAgentTrustOptions,
): Promise<AgentTrust & { close(): Promise<void> }> {
  const { client, clock, domain, tokens } = options;
  const roots = new AgentRoots(options);
  let ensuring: Promise<string> | undefined;
  /** Together: whoever comes second would not see an account that is still being written. */
  const ensureOnce = (): Promise<string> =>
    (ensuring ??= ensureAccount(client).finally(() => {
      ensuring = undefined;
    }));
  const agentTokens = new AgentTokens({
    ...{ domain, clock },
    async issue(audience, expirationSeconds) {
      const { namespace, name } = callerAccount;
      const binding = { namespace, serviceAccount: { name, uid: await ensureOnce() } };
      const expiresMillis = clock.now() + expirationSeconds * 1_000;
      return { token: tokens.issue({ binding, audiences: [audience], expirationSeconds }), expiresMillis };
    },
  });
  await roots.start();
  return {
    readRoots: () => roots.current(),
    readToken: (nodeName) => agentTokens.read(nodeName),
    replaceToken: (nodeName, refused) => agentTokens.replace(nodeName, refused),
    close: () => roots.close(),
  };
}
