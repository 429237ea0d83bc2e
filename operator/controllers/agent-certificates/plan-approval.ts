import { isIP } from 'node:net';

import { checkDns1123Subdomain } from '../../../core/validation/names.ts';
import { findNodeOfSubject } from '../../../platform/agents/agent-identity.ts';
import { canonicalizeName } from '../../../platform/certificates/read-certificate.ts';
import type { SigningRequestFacts } from '../../../platform/certificates/read-signing-request.ts';

/** What a request for an agent's certificate says. */
export interface RequestFacts {
  /** `undefined`: it cannot be read, or is not signed by its key. */
  readonly request: SigningRequestFacts | undefined;
  readonly usages: readonly string[];
}

/** Who made a request, as the API server says. */
export interface Requester {
  readonly username: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Everything that decides whether a request is approved. */
export interface ApprovalFacts extends RequestFacts {
  readonly nowMillis: number;
  readonly createdMillis: number;
  readonly requester: Requester;
  /** User name of the agents' service account. */
  readonly agentUser: string;
  /** IP addresses of the node and of the agent's pod, as the API has them. Names that a node tells of itself vouch for nothing. */
  readonly knownAddresses: readonly string[];
  /** Those of the request's IP addresses that are names of other nodes. */
  readonly foreignAddresses: readonly string[];
}

/** Whether a request is approved. `leave`: that is for a person to decide; `wait`: it cannot be known yet. */
export type ApprovalDecision =
  | { readonly action: 'approve' | 'deny'; readonly reason: string; readonly message: string }
  | { readonly action: 'leave'; readonly message: string }
  | { readonly action: 'wait'; readonly message: string };

const neededUsages = ['digital signature', 'server auth'];
const allowedUsages = new Set([...neededUsages, 'key encipherment']);
const administrators = 'system:masters';
const nodes = 'system:nodes';
const nodeUserPrefix = 'system:node:';
const nodeNameKey = 'authentication.kubernetes.io/node-name';
const maxNames = 16;
/** How long a node may take to tell of its addresses. */
const patienceMillis = 300_000;
const loopback = ['127.0.0.1', '::1'];

/** Why a request cannot be signed as an agent's serving certificate, whoever asks; `undefined`: it can. */
export function findShapeFault({ request, usages }: RequestFacts): string | undefined {
  if (request === undefined) return 'the request cannot be read, or is not signed by its own key';
  const { commonName, otherSubjects, dnsNames, ipAddresses, otherNames, publicKey } = request;
  const nodeName = findNodeOfSubject(commonName);
  if (nodeName === undefined) return 'the common name is not system:agent:NODE';
  if (otherSubjects.length > 0) return 'the subject has more than a common name';
  if (publicKey === undefined) return 'the key is neither ECDSA on a NIST curve nor RSA of 2048 bits or more';
  if (otherNames.length > 0) return 'only DNS names and IP addresses are signed';
  // Whoever checks a certificate takes a name of one sort for nothing of another.
  const odd = [
    ...dnsNames.filter((name) => isIP(name) !== 0 || checkDns1123Subdomain(name).length > 0),
    ...ipAddresses.filter((address) => isIP(address) === 0),
  ];
  if (odd.length > 0) return `neither a DNS name nor an IP address as it is given: ${JSON.stringify(odd[0])}`;
  const isNamed = isIP(nodeName) === 0 ? dnsNames.includes(nodeName) : ipAddresses.includes(nodeName);
  if (!isNamed) return `the names lack that of the node, ${nodeName}`;
  if (dnsNames.length + ipAddresses.length > maxNames) return `more than ${maxNames} names`;
  const missing = neededUsages.filter((usage) => !usages.includes(usage));
  if (missing.length > 0) return `the usages lack ${missing.join(', ')}`;
  const others = usages.filter((usage) => !allowedUsages.has(usage));
  return others.length === 0 ? undefined : `no certificate is for ${others.join(', ')}`;
}

/** The node that the requester runs on; `null`: every node is its own; `undefined`: it is no agent. */
function findNodeOfRequester({ requester, agentUser }: ApprovalFacts): string | null | undefined {
  const { username, groups, extra } = requester;
  if (groups.includes(administrators)) return null;
  if (username.startsWith(nodeUserPrefix) && groups.includes(nodes)) return username.slice(nodeUserPrefix.length);
  // The token is of a pod, or bound to a node itself: the API server vouches for where it is used.
  return username === agentUser ? extra[nodeNameKey]?.[0] : undefined;
}

/** Decides whether a request for an agent's serving certificate is approved: an agent gets one for its own node's names and no others. */
export function planApproval(facts: ApprovalFacts): ApprovalDecision {
  const { request, requester, nowMillis, createdMillis } = facts;
  const requesterNode = findNodeOfRequester(facts);
  if (requesterNode === undefined) {
    return { action: 'leave', message: `${requester.username} is not known to be the agent of a node` };
  }
  const fault = findShapeFault(facts);
  if (fault !== undefined || request === undefined) {
    return { action: 'deny', reason: 'NotAnAgentsRequest', message: fault ?? '' };
  }
  const nodeName = findNodeOfSubject(request.commonName) ?? '';
  if (requesterNode === null) {
    return { action: 'approve', reason: 'AutoApproved', message: 'an administrator asked for it' };
  }
  if (requesterNode !== nodeName) {
    return {
      action: 'deny',
      reason: 'OtherNode',
      message: `${requester.username} is on ${requesterNode}, not on ${nodeName}`,
    };
  }
  const foreign = [...request.dnsNames.filter((name) => name !== nodeName), ...facts.foreignAddresses];
  if (foreign.length > 0) {
    return { action: 'deny', reason: 'NotTheNodesNames', message: `${foreign.join(', ')}: not the name of the node` };
  }
  const known = new Set([nodeName, ...loopback, ...facts.knownAddresses].map(canonicalizeName));
  const unknown = request.ipAddresses.filter((address) => !known.has(canonicalizeName(address)));
  if (unknown.length === 0) {
    return { action: 'approve', reason: 'AutoApproved', message: `the agent of ${nodeName} asked for its own names` };
  }
  const message = `neither the node nor the agent's pod has ${unknown.join(', ')}`;
  // A node that has only just been registered may not have told its addresses yet.
  if (nowMillis < createdMillis + patienceMillis) return { action: 'wait', message };
  return { action: 'deny', reason: 'NotTheNodesAddresses', message };
}
