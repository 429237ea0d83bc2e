import type { JsonObject, JsonValue } from '../../../../core/meta/json.ts';
import type { RuleCase } from '../../../rule-case.ts';

function policy(spec: JsonObject): JsonObject {
  return { apiVersion: 'networking.{domain}/v1', kind: 'NetworkPolicy', metadata: { name: 'rule' }, spec };
}

function from(...peers: JsonObject[]): JsonObject {
  return policy({ podSelector: {}, ingress: [{ from: peers }] });
}

function to(...peers: JsonObject[]): JsonObject {
  return policy({ podSelector: {}, policyTypes: ['Egress'], egress: [{ to: peers }] });
}

function port(entry: JsonObject): JsonObject {
  return policy({ podSelector: {}, ingress: [{ ports: [entry] }] });
}

function portRule(name: string, accepted: JsonObject, rejected: JsonObject, field: string, message: string): RuleCase {
  return {
    rule: `NetworkPolicy.spec.ports.${name}`,
    spec: `NetworkPolicyPort ${field}`,
    accepted: port(accepted),
    rejected: port(rejected),
    field: `spec.ingress[0].ports[0].${field}`,
    type: message.startsWith('Unsupported') ? 'FieldValueNotSupported' : 'FieldValueInvalid',
    message,
  };
}

function effect(name: string, accepted: JsonObject, path: string, value: JsonValue): RuleCase {
  return { rule: `NetworkPolicy.${name}`, spec: `NetworkPolicy ${name}`, accepted, effect: { path, value } };
}

const PEER = 'spec.ingress[0].from[0]';
const SUBSET = 'must be a strict subset of `cidr`';
const CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const block = (cidr: string, ...except: string[]): JsonObject => ({ ipBlock: { cidr, except } });

/** The rules of NetworkPolicy. */
export const networkPolicyRules: readonly RuleCase[] = [
  effect('spec.podSelector', policy({}), 'spec.podSelector', {}),
  effect('spec.policyTypes.default', policy({ podSelector: {} }), 'spec.policyTypes', ['Ingress']),
  effect('spec.policyTypes.default-egress', policy({ podSelector: {}, egress: [{}] }), 'spec.policyTypes', [
    'Ingress',
    'Egress',
  ]),
  effect(
    'spec.policyTypes.egress-only',
    policy({ podSelector: {}, policyTypes: ['Egress'] }),
    'spec.policyTypes',
    ['Egress'],
  ),
  effect('protocol.default', port({ port: 80 }), 'spec.ingress.0.ports.0.protocol', 'TCP'),
  {
    rule: 'NetworkPolicy.spec.podSelector.key',
    spec: 'NetworkPolicy podSelector',
    accepted: policy({ podSelector: { matchLabels: { 'example.com/app': 'web' } } }),
    rejected: policy({ podSelector: { matchExpressions: [{ key: 'app', operator: 'In' }] } }),
    field: 'spec.podSelector.matchExpressions[0].values',
    type: 'FieldValueRequired',
    message: "Required value: must be specified when `operator` is 'In' or 'NotIn'",
  },
  {
    rule: 'NetworkPolicy.spec.policyTypes',
    spec: 'NetworkPolicy policyTypes',
    accepted: policy({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
    rejected: policy({ podSelector: {}, policyTypes: ['Sideways'] }),
    field: 'spec.policyTypes[0]',
    type: 'FieldValueNotSupported',
    message: 'Unsupported value: "Sideways": supported values: "Ingress", "Egress"',
  },
  {
    rule: 'NetworkPolicy.spec.policyTypes.count',
    spec: 'NetworkPolicy policyTypes',
    accepted: policy({ podSelector: {}, policyTypes: ['Egress', 'Ingress'] }),
    rejected: policy({ podSelector: {}, policyTypes: ['Egress', 'Ingress', 'Egress'] }),
    field: 'spec.policyTypes',
    type: 'FieldValueInvalid',
    message: 'Invalid value: ["Egress","Ingress","Egress"]: may not specify more than two policyTypes',
  },
  {
    rule: 'NetworkPolicy.spec.ingress.empty',
    spec: 'NetworkPolicy ingress',
    accepted: policy({ podSelector: {}, ingress: [] }),
  },
  {
    rule: 'NetworkPolicy.spec.ingress.all',
    spec: 'Ingress rule from, ports',
    accepted: policy({ podSelector: {}, ingress: [{}] }),
  },
  {
    rule: 'NetworkPolicy.spec.egress.all',
    spec: 'Egress rule to, ports',
    accepted: policy({ podSelector: {}, egress: [{ to: [], ports: [] }] }),
  },
  {
    rule: 'NetworkPolicy.spec.peer.required',
    spec: 'NetworkPolicyPeer',
    accepted: from({ podSelector: {} }, { namespaceSelector: {} }),
    rejected: from({}),
    field: PEER,
    type: 'FieldValueRequired',
    message: 'Required value: must specify a peer',
  },
  {
    rule: 'NetworkPolicy.spec.peer.ipBlock.exclusive',
    spec: 'NetworkPolicyPeer ipBlock',
    accepted: from({ podSelector: {}, namespaceSelector: { matchLabels: { team: 'a' } } }),
    rejected: from({ podSelector: {}, ...block('10.0.0.0/8') }),
    field: PEER,
    type: 'FieldValueForbidden',
    message: 'Forbidden: may not specify both ipBlock and another peer',
  },
  {
    rule: 'NetworkPolicy.spec.peer.ipBlock.cidr.required',
    spec: 'NetworkPolicyPeer ipBlock.cidr',
    accepted: from(block('10.0.0.0/8')),
    rejected: from({ ipBlock: {} }),
    field: `${PEER}.ipBlock.cidr`,
    type: 'FieldValueRequired',
    message: 'Required value',
  },
  {
    rule: 'NetworkPolicy.spec.peer.ipBlock.cidr',
    spec: 'NetworkPolicyPeer ipBlock.cidr',
    accepted: from(block('2001:db8::/32', '2001:db8:1::/48')),
    rejected: from(block('10.0.0.0')),
    field: `${PEER}.ipBlock.cidr`,
    type: 'FieldValueInvalid',
    message: `Invalid value: "10.0.0.0": ${CIDR}`,
  },
  {
    rule: 'NetworkPolicy.spec.peer.ipBlock.except.outside',
    spec: 'NetworkPolicyPeer ipBlock.except',
    accepted: from(block('10.0.0.0/8', '10.1.0.0/16')),
    rejected: from(block('10.0.0.0/8', '11.0.0.0/16')),
    field: `${PEER}.ipBlock.except[0]`,
    type: 'FieldValueInvalid',
    message: `Invalid value: "11.0.0.0/16": ${SUBSET}`,
  },
  {
    rule: 'NetworkPolicy.spec.peer.ipBlock.except.equal',
    spec: 'NetworkPolicyPeer ipBlock.except',
    accepted: to(block('10.0.0.0/8', '10.0.0.0/9')),
    rejected: to(block('10.0.0.0/8', '10.0.0.0/8')),
    field: 'spec.egress[0].to[0].ipBlock.except[0]',
    type: 'FieldValueInvalid',
    message: `Invalid value: "10.0.0.0/8": ${SUBSET}`,
  },
  {
    rule: 'NetworkPolicy.spec.peer.ipBlock.except.family',
    spec: 'NetworkPolicyPeer ipBlock.except',
    accepted: from(block('::/0', '::/1')),
    rejected: from(block('0.0.0.0/0', '::/1')),
    field: `${PEER}.ipBlock.except[0]`,
    type: 'FieldValueInvalid',
    message: `Invalid value: "::/1": ${SUBSET}`,
  },
  {
    rule: 'NetworkPolicy.spec.peer.ipBlock.except.cidr',
    spec: 'NetworkPolicyPeer ipBlock.except',
    accepted: from(block('10.0.0.0/8', '10.1.2.3/32')),
    rejected: from(block('10.0.0.0/8', 'ten')),
    field: `${PEER}.ipBlock.except[0]`,
    type: 'FieldValueInvalid',
    message: `Invalid value: "ten": ${CIDR}`,
  },
  {
    rule: 'NetworkPolicy.spec.peer.namespaceSelector',
    spec: 'NetworkPolicyPeer namespaceSelector',
    accepted: from({ namespaceSelector: {} }),
    rejected: from({ namespaceSelector: { matchLabels: { 'a b': 'c' } } }),
    field: `${PEER}.namespaceSelector.matchLabels`,
    type: 'FieldValueInvalid',
    message:
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
      "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  },
  portRule('port.name', { port: 'http' }, { port: 'HTTP' }, 'port',
    'Invalid value: "HTTP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'),
  portRule('port.number', { port: 65535 }, { port: 0 }, 'port',
    'Invalid value: 0: must be between 1 and 65535, inclusive'),
  portRule('endPort.order', { port: 80, endPort: 80 }, { port: 80, endPort: 79 }, 'endPort',
    'Invalid value: 80: must be greater than or equal to `port`'),
  portRule('endPort.number', { port: 80, endPort: 65535 }, { port: 80, endPort: 65536 }, 'endPort',
    'Invalid value: 65536: must be between 1 and 65535, inclusive'),
  portRule('endPort.unset', { protocol: 'UDP' }, { endPort: 90 }, 'endPort',
    'Invalid value: 90: may not be specified when `port` is not specified'),
  portRule('endPort.named', { port: 80, endPort: 90 }, { port: 'http', endPort: 90 }, 'endPort',
    'Invalid value: 90: may not be specified when `port` is non-numeric'),
  portRule('protocol', { protocol: 'SCTP', port: 80 }, { protocol: 'ICMP', port: 80 }, 'protocol',
    'Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"'),
];
