import { describe, expect, it } from 'vitest';
import type { SigningRequestFacts } from '../../../platform/certificates/read-signing-request.ts';
import { findShapeFault, planApproval, type ApprovalFacts } from './plan-approval.ts';

const agentUser = 'system:serviceaccount:bw:bw-agent';
const nodeNameKey = 'authentication.kubernetes.io/node-name';
const nowMillis = 10_000_000;

function makeRequest(changes: Partial<SigningRequestFacts> = {}): SigningRequestFacts {
  return {
    ...{ commonName: 'system:agent:node-1', otherSubjects: [], dnsNames: ['node-1'], ipAddresses: ['10.0.0.1'] },
    ...{ otherNames: [], publicKey: 'key' },
    ...changes,
  };
}

function makeFacts(changes: Partial<ApprovalFacts> = {}): ApprovalFacts {
  return {
    ...{ request: makeRequest(), usages: ['digital signature', 'server auth'], nowMillis, createdMillis: nowMillis },
    ...{ agentUser, knownAddresses: ['10.0.0.1', 'FD00::1'], foreignAddresses: [] },
    requester: { username: agentUser, groups: ['system:serviceaccounts'], extra: { [nodeNameKey]: ['node-1'] } },
    ...changes,
  };
}

const nodeUser = (name: string, groups = ['system:nodes']) => ({ username: `system:node:${name}`, groups, extra: {} });

describe('a request for an agent certificate', () => {
  it.for<[string, Partial<ApprovalFacts>, string, string]>([
    ['of the agent of the node', {}, 'approve', 'AutoApproved'],
    [
      'for the addresses of node and pod',
      { request: makeRequest({ ipAddresses: ['fd00:0::1'] }) },
      'approve',
      'AutoApproved',
    ],
    ['for loopback', { request: makeRequest({ ipAddresses: ['127.0.0.1', '::1'] }) }, 'approve', 'AutoApproved'],
    ['for no address', { request: makeRequest({ ipAddresses: [] }), knownAddresses: [] }, 'approve', 'AutoApproved'],
    ['of the node itself', { requester: nodeUser('node-1') }, 'approve', 'AutoApproved'],
    [
      'of an administrator, whatever the addresses',
      { requester: { username: 'ann', groups: ['system:masters'], extra: {} }, knownAddresses: [] },
      'approve',
      'AutoApproved',
    ],
    [
      'of the agent of another node',
      { requester: { username: agentUser, groups: [], extra: { [nodeNameKey]: ['node-2'] } } },
      'deny',
      'OtherNode',
    ],
    ['of another node', { requester: nodeUser('node-2') }, 'deny', 'OtherNode'],
    [
      "for another node's name",
      { request: makeRequest({ dnsNames: ['node-1', 'node-2'] }) },
      'deny',
      'NotTheNodesNames',
    ],
    ['for a wildcard', { request: makeRequest({ dnsNames: ['node-1', '*.node-1'] }) }, 'deny', 'NotAnAgentsRequest'],
    ["for an address that is another node's name", { foreignAddresses: ['10.0.0.1'] }, 'deny', 'NotTheNodesNames'],
    [
      'for an address that the node has not told for five minutes',
      { knownAddresses: [], createdMillis: nowMillis - 300_000 },
      'deny',
      'NotTheNodesAddresses',
    ],
    ['that cannot be read', { request: undefined }, 'deny', 'NotAnAgentsRequest'],
    ['for clients', { usages: ['digital signature', 'client auth'] }, 'deny', 'NotAnAgentsRequest'],
  ])('%s', ([, changes, action, reason]) => {
    expect(planApproval(makeFacts(changes))).toMatchObject({ action, reason });
  });

  it.for<[string, Partial<ApprovalFacts>]>([
    ['somebody else', { requester: { username: 'ann', groups: ['devs'], extra: { [nodeNameKey]: ['node-1'] } } }],
    [
      'the account with a token that is bound to no node',
      { requester: { username: agentUser, groups: [], extra: {} } },
    ],
    ['who calls himself a node', { requester: nodeUser('node-1', ['devs']) }],
    [
      'somebody else, for what cannot be read',
      { requester: { username: 'ann', groups: [], extra: {} }, request: undefined },
    ],
  ])('of %s is left for a person', ([, changes]) => {
    expect(planApproval(makeFacts(changes)).action).toBe('leave');
  });

  it('waits for the addresses of a node that is new', () => {
    const facts = makeFacts({ knownAddresses: [], createdMillis: nowMillis - 299_999 });
    const message = "neither the node nor the agent's pod has 10.0.0.1";
    expect(planApproval(facts)).toEqual({ action: 'wait', message });
  });

  it('for a node that is named by its address is for that address', () => {
    const request = makeRequest({ commonName: 'system:agent:10.0.0.9', dnsNames: [], ipAddresses: ['10.0.0.9'] });
    expect(planApproval(makeFacts({ request, requester: nodeUser('10.0.0.9') }))).toMatchObject({ action: 'approve' });
  });
});

describe('what is never signed', () => {
  const usages = ['digital signature', 'server auth'];

  it.for<[Partial<SigningRequestFacts>, string[], string]>([
    [{ commonName: 'node-1' }, usages, 'the common name is not system:agent:NODE'],
    [{ commonName: 'system:agent:' }, usages, 'the common name is not system:agent:NODE'],
    [{ otherSubjects: ['O=system:masters'] }, usages, 'the subject has more than a common name'],
    [{ publicKey: undefined }, usages, 'the key is neither ECDSA on a NIST curve nor RSA of 2048 bits or more'],
    [{ otherNames: ['url:spiffe://a'] }, usages, 'only DNS names and IP addresses are signed'],
    ...['10.0.0.5', 'fd00::1', '*.x', 'a b', 'ü', 'NODE-1', '', `${'a.'.repeat(127)}a`].map(
      (name): [Partial<SigningRequestFacts>, string[], string] => [
        { dnsNames: ['node-1', name] },
        usages,
        `neither a DNS name nor an IP address as it is given: ${JSON.stringify(name)}`,
      ],
    ),
    [{ ipAddresses: ['10.0.0'] }, usages, 'neither a DNS name nor an IP address as it is given: "10.0.0"'],
    [{ dnsNames: ['node-2'] }, usages, 'the names lack that of the node, node-1'],
    [{ ipAddresses: Array.from({ length: 16 }, (_, n) => `10.0.0.${n}`) }, usages, 'more than 16 names'],
    [{}, ['server auth'], 'the usages lack digital signature'],
    [{}, [...usages, 'client auth', 'cert sign'], 'no certificate is for client auth, cert sign'],
  ])('%j %j', ([changes, given, fault]) => {
    expect(findShapeFault({ request: makeRequest(changes), usages: given })).toBe(fault);
  });

  it('is what is well formed, with whatever usage of an RSA key', () => {
    expect(findShapeFault({ request: makeRequest(), usages: [...usages, 'key encipherment'] })).toBeUndefined();
  });
});
