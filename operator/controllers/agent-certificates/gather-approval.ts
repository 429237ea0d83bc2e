import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { parseTime } from '../../../core/time/time.ts';
import { podResource } from '../../../kinds/core/pod/pod-resource.ts';
import { findNodeOfSubject } from '../../../platform/agents/agent-identity.ts';
import type { SigningRequestFacts } from '../../../platform/certificates/read-signing-request.ts';
import type { SigningRequestObject } from '../../../platform/certificates/signing-request-object.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { ApprovalFacts } from './plan-approval.ts';

interface AddressedNode extends KubeObject {
  readonly status?: { readonly addresses?: readonly { readonly address?: string }[] };
}

interface AddressedPod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly podIPs?: readonly { readonly ip?: string }[] };
}

const nodes = { group: '', version: 'v1', resource: 'nodes' };
const podNameKey = 'authentication.kubernetes.io/pod-name';
const podUidKey = 'authentication.kubernetes.io/pod-uid';
/** Nothing with more is approved, so no more need be looked for. */
const maxAddresses = 16;

/** Where approval looks. */
export interface ApprovalSource {
  readonly client: ResourceClient;
  /** Of the agents' pods. */
  readonly namespace: string;
  readonly agentUser: string;
}

async function listPodAddresses(source: ApprovalSource, request: SigningRequestObject, nodeName: string) {
  const { extra = {} } = request.spec;
  const name = extra[podNameKey]?.[0];
  if (request.spec.username !== source.agentUser || name === undefined) return [];
  const reference = { resource: podResource, namespace: source.namespace, name };
  const pod = await getIfPresent<AddressedPod>(source.client, reference);
  if (pod?.metadata.uid !== extra[podUidKey]?.[0] || pod?.spec?.nodeName !== nodeName) return [];
  return (pod.status?.podIPs ?? []).flatMap(({ ip }) => ip ?? []);
}

/** Gathers what a request is judged by; `read` is what it says. */
export async function gatherApproval(
  source: ApprovalSource,
  request: SigningRequestObject,
  read: SigningRequestFacts | undefined,
  nowMillis: number,
): Promise<ApprovalFacts> {
  const { client, agentUser } = source;
  const { username = '', groups = [], extra = {}, usages = [] } = request.spec;
  const nodeName = findNodeOfSubject(read?.commonName ?? '');
  const facts = {
    ...{ request: read, usages, nowMillis, agentUser },
    createdMillis: parseTime(request.metadata.creationTimestamp ?? '') ?? nowMillis,
    requester: { username, groups, extra },
  };
  // Whoever asks for another sort of certificate makes nobody look for anything.
  if (nodeName === undefined || read === undefined) return { ...facts, knownAddresses: [], foreignAddresses: [] };
  const asked = read.ipAddresses.slice(0, maxAddresses).filter((address) => address !== nodeName);
  const [node, podAddresses, others] = await Promise.all([
    getIfPresent<AddressedNode>(client, { resource: nodes, name: nodeName }),
    listPodAddresses(source, request, nodeName),
    Promise.all(asked.map((name) => getIfPresent(client, { resource: nodes, name }))),
  ]);
  const nodeAddresses = (node?.status?.addresses ?? []).flatMap(({ address }) => address ?? []);
  return {
    ...facts,
    knownAddresses: [...nodeAddresses, ...podAddresses],
    foreignAddresses: asked.filter((_, index) => others[index] !== undefined),
  };
}
