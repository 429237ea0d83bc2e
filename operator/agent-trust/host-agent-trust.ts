import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import { parseTime } from '../../core/time/time.ts';
import type { HostConnection } from '../../platform/kube/host-connection.ts';
import type { ReleaseNames } from '../../platform/release/release-names.ts';
import { parseHostJson, readHostText, readRefusal } from '../../platform/resources/read-host-answer.ts';
import { formatResourcePath } from '../../platform/resources/resource-path.ts';
import { parseServiceAccountUsername } from '../apiserver/authz/service-account-name.ts';
import { AgentRoots, type AgentRootsOptions } from './agent-roots.ts';
import { AgentTokens, type IssuedToken } from './agent-tokens.ts';
import type { AgentTrust } from './agent-trust.ts';

/** What is trusted at a host, and as whom agents are called. */
export interface HostAgentTrustOptions extends Omit<AgentRootsOptions, 'secret'> {
  readonly connection: HostConnection;
  readonly names: ReleaseNames;
  readonly domain: string;
  /** Who this program is at the host. */
  readonly readSelf: () => Promise<UserInfo>;
}

interface TokenRequest extends KubeObject {
  readonly spec: {
    readonly audiences: readonly string[];
    readonly expirationSeconds: number;
    readonly boundObjectRef?: {
      readonly apiVersion: 'v1';
      readonly kind: 'Pod';
      readonly name: string;
      readonly uid: string;
    };
  };
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string };
}

const serviceAccounts = { group: '', version: 'v1', resource: 'serviceaccounts' };
const timeoutMillis = 10_000;
const podNameKey = 'authentication.kubernetes.io/pod-name';
const podUidKey = 'authentication.kubernetes.io/pod-uid';

/** Asks the host for a token of this program's own service account; of the release's operator when it has none, as on a laptop. */
async function requestToken(
  { connection, namespace, names, readSelf }: HostAgentTrustOptions,
  audience: string,
  expirationSeconds: number,
): Promise<IssuedToken> {
  const { username, extra = {} } = await readSelf();
  const account = parseServiceAccountUsername(username);
  const [podName, podUid] = [extra[podNameKey]?.[0], extra[podUidKey]?.[0]];
  const isPods = account !== undefined && podName !== undefined && podUid !== undefined;
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: {
      audiences: [audience],
      expirationSeconds,
      // It then ends with the pod at the latest.
      ...(isPods ? { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: podName, uid: podUid } } : {}),
    },
  };
  const reference = account ?? { namespace, name: names.operator };
  const { status } = await createToken(connection, reference, request);
  const expiresMillis = parseTime(status?.expirationTimestamp ?? '');
  if (status?.token === undefined || expiresMillis === undefined)
    throw new Error('a request for a token had no answer');
  return { token: status.token, expiresMillis };
}

/** Posts to the account's subresource, which the verbs of a ResourceClient do not reach. */
async function createToken(
  connection: HostConnection,
  reference: { readonly namespace: string; readonly name: string },
  request: TokenRequest,
): Promise<TokenRequest> {
  const answer = await connection.send({
    method: 'POST',
    path: formatResourcePath(serviceAccounts, { ...reference, subresource: 'token' }),
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(request),
    timeoutMillis,
  });
  const text = await readHostText(answer.body);
  if (answer.status !== 201) throw readRefusal(answer, text, (body) => body);
  return parseHostJson(text) as unknown as TokenRequest;
}

/** How the operator of a host trusts agents, until it is closed. Throws a StartError when more authorities cannot be read. */
export async function openHostAgentTrust(
  options: HostAgentTrustOptions,
): Promise<AgentTrust & { close(): Promise<void> }> {
  const { names, domain, clock } = options;
  const roots = new AgentRoots({ ...options, secret: names.agentsAuthority });
  const tokens = new AgentTokens({
    ...{ domain, clock },
    issue: (audience, expirationSeconds) => requestToken(options, audience, expirationSeconds),
  });
  await roots.start();
  return {
    readRoots: () => roots.current(),
    readToken: (nodeName) => tokens.read(nodeName),
    replaceToken: (nodeName, refused) => tokens.replace(nodeName, refused),
    close: () => roots.close(),
  };
}
