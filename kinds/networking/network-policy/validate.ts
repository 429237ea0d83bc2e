import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { validateLabelSelector } from '../../../core/selectors/label-selector.ts';
import type { LabelSelectorValidationOptions } from '../../../core/selectors/label-selector.ts';
import { cidrContainsStrictly, parseCidr, validateLegacyCidr } from '../../../core/validation/ip.ts';
import { checkPortName, checkPortNumber } from '../../../core/validation/names.ts';
import { listCidrs, listRules } from './list-rules.ts';
import type { IpBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from './schema.ts';

/** What an update lets pass since the stored policy has it already. */
interface Tolerance extends LabelSelectorValidationOptions {
  readonly oldCidrs: ReadonlySet<string>;
}

const NO_TOLERANCE: Tolerance = { oldCidrs: new Set() };
const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];

function validateNumericPort(port: number, endPort: number | undefined, path: FieldPath): FieldError[] {
  const errors = checkPortNumber(port).map((fault) => makeInvalid(path.child('port'), port, fault));
  if (endPort === undefined) return errors;
  if (endPort < port) {
    // The value shown is the port: so it is in Kubernetes.
    errors.push(makeInvalid(path.child('endPort'), port, 'must be greater than or equal to `port`'));
  }
  return [...errors, ...checkPortNumber(endPort).map((fault) => makeInvalid(path.child('endPort'), endPort, fault))];
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(makeNotSupported(path.child('protocol'), protocol, protocols));
  }
  if (typeof port === 'number') return [...errors, ...validateNumericPort(port, endPort, path)];
  if (endPort !== undefined) {
    const state = port === undefined ? 'not specified' : 'non-numeric';
    errors.push(makeInvalid(path.child('endPort'), endPort, `may not be specified when \`port\` is ${state}`));
  }
  if (port !== undefined) {
    errors.push(...checkPortName(port).map((fault) => makeInvalid(path.child('port'), port, fault)));
  }
  return errors;
}

function validateCidrText(value: string, path: FieldPath, tolerance: Tolerance): FieldError[] {
  return tolerance.oldCidrs.has(value) ? [] : validateLegacyCidr(value, path);
}

function validateIpBlock(block: IpBlock, path: FieldPath, tolerance: Tolerance): FieldError[] {
  if (block.cidr === '') return [makeRequired(path.child('cidr'), '')];
  const errors = validateCidrText(block.cidr, path.child('cidr'), tolerance);
  const cidr = parseCidr(block.cidr);
  if (cidr === undefined) return errors;
  for (const [i, value] of (block.except ?? []).entries()) {
    const exceptPath = path.child('except').index(i);
    errors.push(...validateCidrText(value, exceptPath, tolerance));
    const except = parseCidr(value);
    if (except !== undefined && !cidrContainsStrictly(cidr, except)) {
      errors.push(makeInvalid(exceptPath, value, 'must be a strict subset of `cidr`'));
    }
  }
  return errors;
}

function validatePeer(peer: NetworkPolicyPeer, path: FieldPath, tolerance: Tolerance): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors = [
    ...validateLabelSelector(podSelector, path.child('podSelector'), tolerance),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), tolerance),
    ...(ipBlock === undefined ? [] : validateIpBlock(ipBlock, path.child('ipBlock'), tolerance)),
  ];
  const count = [podSelector, namespaceSelector, ipBlock].filter((part) => part !== undefined).length;
  if (count === 0) errors.push(makeRequired(path, 'must specify a peer'));
  if (count > 1 && ipBlock !== undefined) {
    errors.push(makeForbidden(path, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

function validatePolicyTypes(types: readonly string[], path: FieldPath): FieldError[] {
  if (types.length > policyTypes.length) return [makeInvalid(path, types, 'may not specify more than two policyTypes')];
  return types.flatMap((type, i) =>
    policyTypes.includes(type) ? [] : [makeNotSupported(path.index(i), type, policyTypes)],
  );
}

function validateSpec(spec: NetworkPolicySpec, tolerance: Tolerance): FieldError[] {
  const path = FieldPath.root('spec');
  return [
    ...validateLabelSelector(spec.podSelector, path.child('podSelector'), tolerance),
    ...listRules(spec).flatMap(({ ports, portsPath, peers, peersPath }) => [
      ...ports.flatMap((port, i) => validatePort(port, portsPath.index(i))),
      ...peers.flatMap((peer, i) => validatePeer(peer, peersPath.index(i), tolerance)),
    ]),
    ...validatePolicyTypes(spec.policyTypes ?? [], path.child('policyTypes')),
  ];
}

/** Faults of a new policy ("NetworkPolicy"). */
export function validateNetworkPolicy(policy: NetworkPolicy): FieldError[] {
  return validateSpec(policy.spec, NO_TOLERANCE);
}

/** Faults of a changed policy. A range that the stored policy names passes, and so do label values when it has invalid ones. */
export function validateNetworkPolicyUpdate(policy: NetworkPolicy, old: NetworkPolicy): FieldError[] {
  const allowInvalidLabelValue = validateLabelSelector(old.spec.podSelector, FieldPath.empty).length > 0;
  const oldCidrs = new Set(listCidrs(old.spec).map(({ value }) => value));
  // Kubernetes checks twice and reports each fault as often; clients see it in the causes.
  return [
    ...validateSpec(policy.spec, { ...NO_TOLERANCE, allowInvalidLabelValue }),
    ...validateSpec(policy.spec, { oldCidrs, allowInvalidLabelValue }),
  ];
}
