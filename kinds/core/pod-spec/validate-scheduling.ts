import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import {
  makeDuplicate,
  makeForbidden,
  makeInvalid,
  makeNotSupported,
  makeRequired,
} from '../../../core/errors/make-field-error.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { validateLabelSelector, type LabelSelector } from '../../../core/selectors/label-selector.ts';
import { checkLabelValue, checkQualifiedName } from '../../../core/validation/names.ts';
import { validateLabelKey } from '../../../core/validation/object-meta.ts';
import { readField, readItems, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { makeInvalids, validateChoice } from './validate-choice.ts';

/** Effects of taints, in the order that errors list them. */
export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Faults of tolerations. */
export function validateTolerations(tolerations: readonly JsonObject[], path: FieldPath): FieldError[] {
  return tolerations.flatMap((toleration, index) => {
    const own = path.index(index);
    const key = readText(toleration, 'key');
    const operator = readText(toleration, 'operator');
    const value = readText(toleration, 'value');
    const effect = readText(toleration, 'effect');
    const errors = key === '' ? [] : validateLabelKey(key, own.child('key'));
    if (key === '' && operator !== 'Exists') {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(makeInvalid(own.child('operator'), operator, detail));
    }
    if (readNumber(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute') {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(makeInvalid(own.child('effect'), effect, detail));
    }
    if (operator === 'Exists') {
      const detail = "value must be empty when `operator` is 'Exists'";
      if (value !== '') errors.push(makeInvalid(own.child('operator'), value, detail));
    } else if (operator === 'Equal' || operator === '') {
      const faults = checkLabelValue(value);
      if (faults.length > 0) errors.push(makeInvalid(own.child('operator'), value, faults.join(';')));
    } else {
      errors.push(makeNotSupported(own.child('operator'), operator, ['Equal', 'Exists']));
    }
    if (effect !== '') errors.push(...validateChoice(toleration, 'effect', taintEffects, own));
    return errors;
  });
}

/** Faults of changed tolerations: they may only be added, and wait longer or shorter. */
export function validateAddedTolerations(
  tolerations: readonly JsonObject[],
  old: readonly JsonObject[],
  path: FieldPath,
): FieldError[] {
  const strip = (toleration: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(toleration).filter(([key]) => key !== 'tolerationSeconds'));
  for (const before of old) {
    if (!tolerations.some((after) => deepEqual(strip(after), strip(before)))) {
      return [makeForbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
    }
  }
  return validateTolerations(tolerations, path);
}

/** Faults of scheduling gates. */
export function validateSchedulingGates(spec: unknown, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return readItems(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = readText(gate, 'name');
    const own = path.child('schedulingGates').index(index);
    const errors = makeInvalids(own, name, checkQualifiedName(name));
    if (seen.has(name)) errors.push(makeDuplicate(own, name));
    seen.add(name);
    return errors;
  });
}

/** Faults of changed scheduling gates: they may only be removed. */
export function validateRemovedGates(spec: unknown, old: unknown, path: FieldPath): FieldError[] {
  const known = new Set(readItems(old, 'schedulingGates').map((gate) => readText(gate, 'name')));
  return readItems(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = readText(gate, 'name');
    if (known.has(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [makeForbidden(path.child('schedulingGates').index(index).child('name'), detail)];
  });
}

/** Faults of how pods are spread over the domains of a topology. */
export function validateTopologySpread(spec: unknown, path: FieldPath): FieldError[] {
  const constraints = readItems(spec, 'topologySpreadConstraints');
  return constraints.flatMap((constraint, index) => {
    const own = path.child('topologySpreadConstraints').index(index);
    const skew = readNumber(constraint, 'maxSkew') ?? 0;
    const key = readText(constraint, 'topologyKey');
    const action = readText(constraint, 'whenUnsatisfiable');
    const errors: FieldError[] = [];
    if (skew <= 0) errors.push(makeInvalid(own.child('maxSkew'), skew, 'must be greater than zero'));
    if (key === '') errors.push(makeRequired(own.child('topologyKey'), 'can not be empty'));
    const actions = ['DoNotSchedule', 'ScheduleAnyway'];
    if (!actions.includes(action)) {
      errors.push(makeNotSupported(own.child('whenUnsatisfiable'), action, actions));
    }
    const isRepeated = constraints
      .slice(index + 1)
      .some((other) => readText(other, 'topologyKey') === key && readText(other, 'whenUnsatisfiable') === action);
    if (isRepeated) errors.push(makeDuplicate(own.child('{topologyKey, whenUnsatisfiable}'), `{${key}, ${action}}`));
    const selector = readObject(constraint, 'labelSelector') as LabelSelector | undefined;
    if (selector !== undefined) errors.push(...validateLabelSelector(selector, own.child('labelSelector')));
    return errors;
  });
}

function validatePodTerm(term: unknown, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['labelSelector', 'namespaceSelector']) {
    const selector = readObject(term, key) as LabelSelector | undefined;
    if (selector !== undefined) errors.push(...validateLabelSelector(selector, path.child(key)));
  }
  const topologyKey = readText(term, 'topologyKey');
  if (topologyKey === '') errors.push(makeRequired(path.child('topologyKey'), 'can not be empty'));
  return [...errors, ...validateLabelKey(topologyKey, path.child('topologyKey'))];
}

const nodeOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];

function validateNodeTerm(term: unknown, path: FieldPath): FieldError[] {
  return readItems(term, 'matchExpressions').flatMap((requirement, index) => {
    const own = path.child('matchExpressions').index(index);
    const operator = readText(requirement, 'operator');
    const values = readField(requirement, 'values');
    const count = Array.isArray(values) ? values.length : 0;
    const errors: FieldError[] = [];
    if ((operator === 'In' || operator === 'NotIn') && count === 0) {
      const detail = "must be specified when `operator` is 'In' or 'NotIn'";
      errors.push(makeRequired(own.child('values'), detail));
    } else if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      errors.push(makeForbidden(own.child('values'), detail));
    } else if ((operator === 'Gt' || operator === 'Lt') && count !== 1) {
      errors.push(makeRequired(own.child('values'), "must be specified single value when `operator` is 'Lt' or 'Gt'"));
    } else if (!nodeOperators.includes(operator)) {
      errors.push(makeInvalid(own.child('operator'), operator, 'not a valid selector operator'));
    }
    return [...errors, ...validateLabelKey(readText(requirement, 'key'), own.child('key'))];
  });
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function validateWeight(term: unknown, path: FieldPath): FieldError[] {
  const weight = readNumber(term, 'weight') ?? 0;
  return weight >= 1 && weight <= 100 ? [] : [makeInvalid(path.child('weight'), weight, 'must be in the range 1-100')];
}

/** Faults of a pod's affinity. */
export function validateAffinity(spec: unknown, path: FieldPath): FieldError[] {
  const own = path.child('affinity');
  const errors: FieldError[] = [];
  const node = readObject(spec, 'affinity', 'nodeAffinity');
  const nodeSelector = readObject(node, required);
  if (nodeSelector !== undefined) {
    const terms = readItems(nodeSelector, 'nodeSelectorTerms');
    const list = own.child('nodeAffinity', required, 'nodeSelectorTerms');
    if (terms.length === 0) errors.push(makeRequired(list, 'must have at least one node selector term'));
    errors.push(...terms.flatMap((term, index) => validateNodeTerm(term, list.index(index))));
  }
  for (const [index, term] of readItems(node, preferred).entries()) {
    const item = own.child('nodeAffinity', preferred).index(index);
    const weight = readNumber(term, 'weight') ?? 0;
    if (weight <= 0 || weight > 100) {
      errors.push(makeInvalid(item.child('weight'), weight, 'must be in the range 1-100'));
    }
    errors.push(...validateNodeTerm(term['preference'], item.child('preference')));
  }
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const affinity = readObject(spec, 'affinity', name);
    for (const [index, term] of readItems(affinity, required).entries()) {
      errors.push(...validatePodTerm(term, own.child(name, required).index(index)));
    }
    for (const [index, term] of readItems(affinity, preferred).entries()) {
      const item = own.child(name, preferred).index(index);
      errors.push(...validateWeight(term, item));
      errors.push(...validatePodTerm(term['podAffinityTerm'], item.child('podAffinityTerm')));
    }
  }
  return errors;
}
