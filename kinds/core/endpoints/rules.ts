import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { cidrContains, parseCidr, parseIp, validateLegacyIp } from '../../../core/validation/ip.ts';
import { checkDns1123Label, checkPortNumber } from '../../../core/validation/names.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { fillField, readItems, readNumber, readText } from '../../workloads/read-field.ts';
import { makeInvalids, validateChoice } from '../pod-spec/validate-choice.ts';

const loopback = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
const linkLocal = 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
const linkLocalMulticast = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
const unreachableRanges: readonly (readonly [string, string])[] = [
  ['0.0.0.0/32', 'may not be unspecified ({ip})'],
  ['::/128', 'may not be unspecified ({ip})'],
  ['127.0.0.0/8', loopback],
  ['::1/128', loopback],
  ['169.254.0.0/16', linkLocal],
  ['fe80::/10', linkLocal],
  ['224.0.0.0/24', linkLocalMulticast],
  ['ff02::/16', linkLocalMulticast],
];

/** Faults of an address: it must be one that others can reach. */
function validateEndpointIp(ip: string, path: FieldPath): FieldError[] {
  const errors = validateLegacyIp(ip, path);
  const address = parseIp(ip);
  if (address === undefined) return [...errors, makeInvalid(path, ip, 'must be a valid IP address')];
  for (const [range, detail] of unreachableRanges) {
    const cidr = parseCidr(range);
    const own = parseCidr(`${ip}/${ip.includes(':') ? 128 : 32}`);
    if (cidr && own && cidrContains(cidr, own)) errors.push(makeInvalid(path, ip, detail.replace('{ip}', ip)));
  }
  return errors;
}

function validate(endpoints: KubeObject): FieldError[] {
  return readItems(endpoints, 'subsets').flatMap((subset, index) => {
    const own = FieldPath.root('subsets').index(index);
    const addresses = ['addresses', 'notReadyAddresses'];
    const errors: FieldError[] = [];
    if (addresses.every((key) => readItems(subset, key).length === 0)) {
      errors.push(makeRequired(own, 'must specify `addresses` or `notReadyAddresses`'));
    }
    for (const key of addresses) {
      for (const [position, address] of readItems(subset, key).entries()) {
        const item = own.child(key).index(position);
        const hostname = readText(address, 'hostname');
        errors.push(...validateEndpointIp(readText(address, 'ip'), item.child('ip')));
        if (hostname !== '')
          errors.push(...makeInvalids(item.child('hostname'), hostname, checkDns1123Label(hostname)));
      }
    }
    const ports = readItems(subset, 'ports');
    for (const [position, port] of ports.entries()) {
      const item = own.child('ports').index(position);
      const name = readText(port, 'name');
      const number = readNumber(port, 'port') ?? 0;
      if (name !== '') errors.push(...makeInvalids(item.child('name'), name, checkDns1123Label(name)));
      else if (ports.length > 1) errors.push(makeRequired(item.child('name'), ''));
      errors.push(...makeInvalids(item.child('port'), number, checkPortNumber(number)));
      errors.push(...validateChoice(port, 'protocol', ['SCTP', 'TCP', 'UDP'], item));
    }
    return errors;
  });
}

/** How endpoints are written. */
export const endpointsRules: WorkloadRules = {
  allowCreateOnUpdate: true,
  applyDefaults(endpoints) {
    for (const subset of readItems(endpoints, 'subsets')) {
      for (const port of readItems(subset, 'ports')) fillField(port, 'protocol', 'TCP');
    }
  },
  validate,
};
