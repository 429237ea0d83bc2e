import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import {
  makeDuplicate,
  makeForbidden,
  makeInvalid,
  makeNotSupported,
  makeRequired,
} from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { validateLegacyIp } from '../../../core/validation/ip.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPortNumber,
  checkQualifiedName,
} from '../../../core/validation/names.ts';
import { validateLabels } from '../../../core/validation/object-meta.ts';
import {
  readField,
  readItems,
  readList,
  readTextList,
  readNumber,
  readText,
  readTexts,
} from '../../workloads/read-field.ts';
import { makeInvalids, validateChoice, validateOptionalChoice } from '../pod-spec/validate-choice.ts';
import { validatePortOrName } from '../pod-spec/validate-probes.ts';

const path = FieldPath.root('spec');
const maxAffinitySeconds = 86_400;

/** Whether a service can be reached from outside the cluster. */
export function isExternallyAccessible(service: KubeObject): boolean {
  const type = readText(service, 'spec', 'type');
  const hasExternalIps = readList(service, 'spec', 'externalIPs').length > 0;
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && hasExternalIps);
}

function isHeadless(service: KubeObject): boolean {
  const list = readList(service, 'spec', 'clusterIPs');
  return list.length === 1 && list[0] === 'None';
}

function validateTypeRules(service: KubeObject): FieldError[] {
  const type = readText(service, 'spec', 'type');
  const errors: FieldError[] = [];
  if (readItems(service, 'spec', 'ports').length === 0 && !isHeadless(service) && type !== 'ExternalName') {
    errors.push(makeRequired(path.child('ports'), ''));
  }
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(service)) {
    const detail = `may not be set to 'None' for ${type} services`;
    errors.push(makeInvalid(path.child('clusterIPs').index(0), 'None', detail));
  }
  if (type !== 'ExternalName') return errors;
  for (const key of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    const value = readField(service, 'spec', key);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    errors.push(makeForbidden(path.child(key), 'may not be set for ExternalName services'));
  }
  const name = readText(service, 'spec', 'externalName').replace(/\.$/, '');
  if (name === '') errors.push(makeRequired(path.child('externalName'), ''));
  else errors.push(...makeInvalids(path.child('externalName'), name, checkDns1123Subdomain(name)));
  return errors;
}

function validatePorts(service: KubeObject): FieldError[] {
  const ports = readItems(service, 'spec', 'ports');
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const own = path.child('ports').index(index);
    const name = readText(port, 'name');
    const number = readNumber(port, 'port') ?? 0;
    const protocol = readText(port, 'appProtocol');
    const errors: FieldError[] = [];
    if (name === '' && ports.length > 1) errors.push(makeRequired(own.child('name'), ''));
    if (name !== '') {
      errors.push(...makeInvalids(own.child('name'), name, checkDns1123Label(name)));
      if (names.has(name)) errors.push(makeDuplicate(own.child('name'), name));
      names.add(name);
    }
    errors.push(...makeInvalids(own.child('port'), number, checkPortNumber(number)));
    errors.push(...validateChoice(port, 'protocol', ['SCTP', 'TCP', 'UDP'], own));
    errors.push(...validatePortOrName(port['targetPort'], own.child('targetPort')));
    if (protocol !== '') {
      errors.push(...makeInvalids(own.child('appProtocol'), protocol, checkQualifiedName(protocol)));
    }
    return errors;
  });
}

function validateAffinity(service: KubeObject): FieldError[] {
  const errors = validateChoice(readField(service, 'spec'), 'sessionAffinity', ['ClientIP', 'None'], path);
  const timeout = readNumber(service, 'spec', 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (timeout !== undefined && (timeout <= 0 || timeout > maxAffinitySeconds)) {
    const own = path.child('sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
    errors.push(makeInvalid(own, timeout, `must be greater than 0 and less than ${maxAffinitySeconds}`));
  }
  return errors;
}

function validateAddresses(service: KubeObject): FieldError[] {
  if (readText(service, 'spec', 'type') === 'ExternalName') return [];
  const errors: FieldError[] = [];
  const first = readText(service, 'spec', 'clusterIP');
  const list = readTextList(service, 'spec', 'clusterIPs');
  const own = path.child('clusterIPs');
  if (first !== '' && list.length === 0) errors.push(makeRequired(own, ''));
  else if (first !== '' && list[0] !== first) {
    errors.push(makeInvalid(own, list, 'first value must match `clusterIP`'));
  } else if (first === '' && list.length > 0) {
    errors.push(makeInvalid(own, list, 'must be empty when `clusterIP` is not specified'));
  }
  const seen = new Set<string>();
  for (const [index, value] of readTextList(service, 'spec', 'ipFamilies').entries()) {
    const item = path.child('ipFamilies').index(index);
    if (value !== 'IPv4' && value !== 'IPv6') errors.push(makeNotSupported(item, value, ['IPv4', 'IPv6']));
    if (seen.has(value)) errors.push(makeDuplicate(item, value));
    seen.add(value);
  }
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  errors.push(...validateOptionalChoice(readField(service, 'spec'), 'ipFamilyPolicy', policies, path));
  for (const [index, address] of list.entries()) {
    if (index === 0 && address === 'None') {
      if (list.length > 1) errors.push(makeInvalid(own, list, "'None' must be the first and only value"));
    } else {
      errors.push(...validateLegacyIp(address, own.index(index)));
    }
  }
  if (list.length > 2) errors.push(makeInvalid(own, list, 'may only hold up to 2 values'));
  for (const [index, address] of readTextList(service, 'spec', 'externalIPs').entries()) {
    errors.push(...validateLegacyIp(address, path.child('externalIPs').index(index)));
  }
  return errors;
}

function validatePortNumbers(service: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const ports = readItems(service, 'spec', 'ports');
  const list = path.child('ports');
  const isInternal = readText(service, 'spec', 'type') === 'ClusterIP';
  const nodePorts = new Set<string>();
  const pairs = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const nodePort = readNumber(port, 'nodePort') ?? 0;
    if (nodePort !== 0 && isInternal) {
      errors.push(makeForbidden(list.index(index).child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
    }
    const key = `${readText(port, 'protocol')}/${nodePort}`;
    if (nodePort !== 0 && nodePorts.has(key)) errors.push(makeDuplicate(list.index(index).child('nodePort'), nodePort));
    nodePorts.add(key);
  }
  for (const [index, port] of ports.entries()) {
    const key = `${readText(port, 'protocol')}/${readNumber(port, 'port') ?? 0}`;
    if (pairs.has(key)) {
      const names = { Name: '', Protocol: readText(port, 'protocol'), AppProtocol: null };
      const value = { ...names, Port: readNumber(port, 'port') ?? 0, TargetPort: 0, NodePort: 0 };
      errors.push(makeDuplicate(list.index(index), value));
    }
    pairs.add(key);
  }
  return errors;
}

function validatePolicies(service: KubeObject): FieldError[] {
  const spec = readField(service, 'spec');
  const type = readText(spec, 'type');
  const errors: FieldError[] = [];
  const external = readText(spec, 'externalTrafficPolicy');
  if (readField(spec, 'allocateLoadBalancerNodePorts') !== undefined && type !== 'LoadBalancer') {
    const detail = "may only be used when `type` is 'LoadBalancer'";
    errors.push(makeForbidden(path.child('allocateLoadBalancerNodePorts'), detail));
  }
  if (isExternallyAccessible(service)) {
    errors.push(...validateChoice(spec, 'externalTrafficPolicy', ['Cluster', 'Local'], path));
  } else if (external !== '') {
    const detail = 'may only be set for externally-accessible services';
    errors.push(makeInvalid(path.child('externalTrafficPolicy'), external, detail));
  }
  errors.push(...validateOptionalChoice(spec, 'internalTrafficPolicy', ['Cluster', 'Local'], path));
  const distributions = ['PreferClose'];
  return [...errors, ...validateOptionalChoice(spec, 'trafficDistribution', distributions, path)];
}

/** Faults of a service by itself. */
export function validateService(service: KubeObject): FieldError[] {
  const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
  return [
    ...validateTypeRules(service),
    ...validatePorts(service),
    ...validateLabels(readTexts(service, 'spec', 'selector'), path.child('selector')),
    ...validateAffinity(service),
    ...validateAddresses(service),
    ...validateChoice(readField(service, 'spec'), 'type', types, path),
    ...validatePortNumbers(service),
    ...validatePolicies(service),
  ];
}

/** Faults of a changed service: its first address stays, unless it becomes or was a mere name. */
export function validateServiceChange(service: KubeObject, old: KubeObject): FieldError[] {
  const types = [readText(service, 'spec', 'type'), readText(old, 'spec', 'type')];
  const before = readTextList(old, 'spec', 'clusterIPs');
  const after = readTextList(service, 'spec', 'clusterIPs');
  if (types.includes('ExternalName') || before.length === 0 || before[0] === after[0]) return [];
  return [makeInvalid(path.child('clusterIPs').index(0), after, 'may not change once set')];
}
