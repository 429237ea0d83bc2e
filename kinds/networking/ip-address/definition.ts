import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeRequired } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatGroupResource } from '../../../core/meta/resource-name.ts';
import { validateIp } from '../../../core/validation/ip.ts';
import { checkDns1123Subdomain, checkPathSegmentName } from '../../../core/validation/names.ts';
import { makeInvalids } from '../../core/pod-spec/validate-choice.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn } from '../../workloads/format-cells.ts';
import { readField, readObject, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { validateImmutable } from '../../workloads/validate-immutable.ts';

const path = FieldPath.root('spec', 'parentRef');

function validateParent(address: KubeObject): FieldError[] {
  const parent = readObject(address, 'spec', 'parentRef');
  if (parent === undefined) return [makeRequired(path, '')];
  const group = readText(parent, 'group');
  const errors = group === '' ? [] : makeInvalids(path.child('group'), group, checkDns1123Subdomain(group));
  for (const key of ['resource', 'name', 'namespace']) {
    const text = readText(parent, key);
    if (text !== '') errors.push(...makeInvalids(path.child(key), text, checkPathSegmentName(text, false)));
    else if (key !== 'namespace') errors.push(makeRequired(path.child(key), ''));
  }
  return errors;
}

function formatParent(address: KubeObject): string {
  const parent = readObject(address, 'spec', 'parentRef');
  if (parent === undefined) return '<none>';
  const resource = formatGroupResource(readText(parent, 'group'), readText(parent, 'resource')).toLowerCase();
  return [resource, readText(parent, 'namespace'), readText(parent, 'name')].filter((part) => part !== '').join('/');
}

/** IPAddress: an address that is in use, and by whom. */
export const ipAddressKind: KindDefinition = defineWorkloadKind({
  kind: 'IPAddress',
  group: 'networking.k8s.io',
  plural: 'ipaddresses',
  shortNames: ['ip'],
  clusterScoped: true,
  columns: [nameColumn, shownColumn('ParentRef')],
  // Kubernetes sends the age too, though there is no column for it.
  printRow: (object, now) => [nameOf(object), formatParent(object), ageOf(object, now)],
  rules: {
    validateName: (name) => validateIp(name, FieldPath.empty).map(({ detail }) => detail),
    validate: validateParent,
    validateChange: (address, old) =>
      validateImmutable(readField(address, 'spec', 'parentRef'), readField(old, 'spec', 'parentRef'), path),
  },
  description: 'An address that is in use, and by whom.',
});
