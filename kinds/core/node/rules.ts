import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeDuplicate, makeForbidden, makeInvalid } from '../../../core/errors/make-field-error.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { validateLegacyCidr } from '../../../core/validation/ip.ts';
import { checkLabelValue } from '../../../core/validation/names.ts';
import { validateLabelKey } from '../../../core/validation/object-meta.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import {
  ensureObject,
  readField,
  readItems,
  readList,
  readTextList,
  readObject,
  readText,
} from '../../workloads/read-field.ts';
import { validateChoice } from '../pod-spec/validate-choice.ts';
import { taintEffects } from '../pod-spec/validate-scheduling.ts';
import { roundResourceList, type ResourceList } from '../resource-lists.ts';

const path = FieldPath.root('spec');

/** The older field holds the first of the newer list, and the other way round. */
function syncPodCidrs(node: KubeObject): void {
  const spec = ensureObject(node, 'spec');
  const first = readText(spec, 'podCIDR');
  const list = readList(spec, 'podCIDRs');
  if (list.length === 0 && first !== '') spec['podCIDRs'] = [first];
  else if (list.length > 0 && first === '') spec['podCIDR'] = list[0];
}

function validateTaints(node: KubeObject): FieldError[] {
  const seen = new Set<string>();
  return readItems(node, 'spec', 'taints').flatMap((taint, index) => {
    // Upstream names the taints so.
    const own = FieldPath.root('metadata', 'taints').index(index);
    const key = readText(taint, 'key');
    const value = readText(taint, 'value');
    const faults = checkLabelValue(value);
    const errors = [
      ...validateLabelKey(key, own.child('key')),
      ...(faults.length === 0 ? [] : [makeInvalid(own.child('value'), value, faults.join(';'))]),
      ...validateChoice(taint, 'effect', taintEffects, own),
    ];
    const identity = `${readText(taint, 'effect')}/${key}`;
    if (seen.has(identity)) {
      const detail = 'taints must be unique by key and effect pair';
      const timeAdded = taint['timeAdded'] ?? null;
      const shown = { Key: key, Value: value, Effect: readText(taint, 'effect'), TimeAdded: timeAdded };
      errors.push({ ...makeDuplicate(own, shown), detail });
    }
    seen.add(identity);
    return errors;
  });
}

function validate(node: KubeObject): FieldError[] {
  const own = path.child('podCIDRs');
  const cidrs = readTextList(node, 'spec', 'podCIDRs');
  return [...validateTaints(node), ...cidrs.flatMap((cidr, index) => validateLegacyCidr(cidr, own.index(index)))];
}

function validateChange(node: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const oldCidrs = readList(old, 'spec', 'podCIDRs');
  if (oldCidrs.length > 0 && !deepEqual(oldCidrs, readList(node, 'spec', 'podCIDRs'))) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    errors.push(makeForbidden(path.child('podCIDRs'), detail));
  }
  const oldProvider = readText(old, 'spec', 'providerID');
  if (oldProvider !== '' && oldProvider !== readText(node, 'spec', 'providerID')) {
    const detail = 'node updates may not change providerID except from "" to valid';
    errors.push(makeForbidden(path.child('providerID'), detail));
  }
  return errors;
}

/** How nodes are written; a node registers itself together with its status. */
export const nodeRules: WorkloadRules = {
  keepsStatusOnCreate: true,
  applyDefaults(node) {
    syncPodCidrs(node);
    for (const key of ['capacity', 'allocatable']) {
      roundResourceList(readObject(node, 'status', key) as ResourceList | undefined);
    }
    const capacity = readField(node, 'status', 'capacity');
    const status = readObject(node, 'status');
    if (status !== undefined && capacity !== undefined && status['allocatable'] === undefined) {
      status['allocatable'] = deepClone(capacity);
    }
  },
  validate,
  validateChange,
};
