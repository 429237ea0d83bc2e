import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { parseCidr, validateCidr } from '../../../core/validation/ip.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn } from '../../workloads/format-cells.ts';
import { readObject, readTextList } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';

const path = FieldPath.root('spec', 'cidrs');
const immutable = 'field is immutable';

function readRanges(object: KubeObject): string[] {
  return readTextList(object, 'spec', 'cidrs');
}

function validateRanges(object: KubeObject): FieldError[] {
  const ranges = readRanges(object);
  if (ranges.length === 0) return [makeRequired(path, 'at least one CIDR required')];
  if (ranges.length > 2) {
    return [makeInvalid(path, { CIDRs: readObject(object, 'spec')?.['cidrs'] }, 'may only hold up to 2 values')];
  }
  const errors = ranges.flatMap((range, index) => validateCidr(range, path.index(index)));
  const [first, second] = ranges.map((range) => parseCidr(range)?.address.family);
  if (first === undefined || first !== second) return errors;
  const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [...errors, makeInvalid(path, ranges, detail)];
}

/** Ranges stay as they are; only a second one may be added. */
function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const [ranges, before] = [readRanges(object), readRanges(old)];
  const isAdded = before.length === 1 && ranges.length === 2;
  if (ranges.length !== before.length && !isAdded) return [makeInvalid(path, ranges, immutable)];
  const errors = before.flatMap((range, index) =>
    ranges[index] === range ? [] : [makeInvalid(path.index(index), ranges[index], immutable)],
  );
  return isAdded ? [...errors, ...validateRanges(object)] : errors;
}

/** ServiceCIDR: a range that services have their addresses from. */
export const serviceCidrKind: KindDefinition = defineWorkloadKind({
  kind: 'ServiceCIDR',
  group: 'networking.k8s.io',
  plural: 'servicecidrs',
  clusterScoped: true,
  columns: [nameColumn, shownColumn('CIDRs'), ageColumn],
  printRow: (object, now) => [nameOf(object), readRanges(object).join(','), ageOf(object, now)],
  status: true,
  rules: { keepsStatusOnCreate: true, validate: validateRanges, validateUpdate },
  description: 'A range that services have their addresses from.',
});
