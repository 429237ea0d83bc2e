import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { isQuantityFault, parseQuantity, signOfQuantity } from '../../../core/quantity/quantity.ts';
import { validateNonnegative } from '../../core/pod-spec/validate-choice.ts';
import { readField, readItems, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { validateMetrics } from './validate-metrics.ts';
import { findVersionFault, validateObjectReference, type ReferenceRules } from './validate-object-reference.ts';

const maxWindowSeconds = 3600;
const maxPeriodSeconds = 1800;
const path = FieldPath.root('spec');

function validatePolicy(policy: JsonObject, at: FieldPath): FieldError[] {
  const type = readText(policy, 'type');
  const errors = ['Pods', 'Percent'].includes(type)
    ? []
    : [makeNotSupported(at.child('type'), type, ['Percent', 'Pods'])];
  for (const key of ['value', 'periodSeconds']) {
    const value = readNumber(policy, key) ?? 0;
    if (value <= 0) errors.push(makeInvalid(at.child(key), value, 'must be greater than zero'));
  }
  const seconds = readNumber(policy, 'periodSeconds') ?? 0;
  if (seconds > maxPeriodSeconds) {
    errors.push(makeInvalid(at.child('periodSeconds'), seconds, `must be less than or equal to ${maxPeriodSeconds}`));
  }
  return errors;
}

function validateScaling(rules: JsonObject, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seconds = readNumber(rules, 'stabilizationWindowSeconds');
  const window = at.child('stabilizationWindowSeconds');
  if (seconds !== undefined && seconds < 0) {
    errors.push(makeInvalid(window, seconds, 'must be greater than or equal to zero'));
  }
  if (seconds !== undefined && seconds > maxWindowSeconds) {
    errors.push(makeInvalid(window, seconds, `must be less than or equal to ${maxWindowSeconds}`));
  }
  const select = readField(rules, 'selectPolicy');
  if (typeof select === 'string' && !['Max', 'Min', 'Disabled'].includes(select)) {
    errors.push(makeNotSupported(at.child('selectPolicy'), select, ['Disabled', 'Max', 'Min']));
  }
  const policies = readItems(rules, 'policies');
  if (policies.length === 0) errors.push(makeRequired(at.child('policies'), 'must specify at least one Policy'));
  errors.push(...policies.flatMap((policy, index) => validatePolicy(policy, at.child('policies').index(index))));
  const tolerance = readText(rules, 'tolerance');
  const parsed = parseQuantity(tolerance);
  if (tolerance !== '' && !isQuantityFault(parsed) && signOfQuantity(parsed) < 0) {
    errors.push(makeInvalid(at.child('tolerance'), tolerance, 'must be greater than or equal to 0'));
  }
  return errors;
}

function validateBehavior(spec: JsonObject): FieldError[] {
  return ['scaleUp', 'scaleDown'].flatMap((direction) => {
    const rules = readObject(spec, 'behavior', direction);
    return rules === undefined ? [] : validateScaling(rules, path.child('behavior', direction));
  });
}

/** What a change may leave as it was, though it would be refused when new. */
function chooseReferenceRules(spec: JsonObject, old: JsonObject | undefined): [ReferenceRules, ReferenceRules] {
  const target = readObject(spec, 'scaleTargetRef');
  const oldTarget = readObject(old, 'scaleTargetRef');
  const isSame = ['apiVersion', 'kind'].every((key) => readText(target, key) === readText(oldTarget, key));
  const forTarget = {
    allowsAnyVersion: old !== undefined && isSame,
    allowsEmptyGroup: readText(target, 'kind') === 'ReplicationController',
  };
  const forMetrics = { allowsAnyVersion: false, allowsEmptyGroup: true };
  const wasFaulty = readItems(old, 'metrics').some((metric) => {
    const object = readObject(metric, 'object');
    return object !== undefined && findVersionFault(readObject(object, 'describedObject'), forMetrics) !== undefined;
  });
  return [forTarget, { ...forMetrics, allowsAnyVersion: wasFaulty }];
}

/** Faults of a HorizontalPodAutoscaler; `old` is absent on create. */
export function validateAutoscaler(autoscaler: KubeObject, old?: KubeObject): FieldError[] {
  const spec = readObject(autoscaler, 'spec') ?? {};
  const [forTarget, forMetrics] = chooseReferenceRules(spec, readObject(old, 'spec'));
  const least = readNumber(old, 'spec', 'minReplicas') === 0 ? 0 : 1;
  const min = readNumber(spec, 'minReplicas');
  const max = readNumber(spec, 'maxReplicas') ?? 0;
  const errors: FieldError[] = [];
  if (min !== undefined && min < least) {
    errors.push(makeInvalid(path.child('minReplicas'), min, `must be greater than or equal to ${least}`));
  }
  if (max < 1) errors.push(makeInvalid(path.child('maxReplicas'), max, 'must be greater than 0'));
  if (min !== undefined && max < min) {
    errors.push(makeInvalid(path.child('maxReplicas'), max, 'must be greater than or equal to `minReplicas`'));
  }
  return [
    ...errors,
    ...validateObjectReference(readObject(spec, 'scaleTargetRef'), path.child('scaleTargetRef'), forTarget),
    ...validateMetrics(readItems(spec, 'metrics'), min, path.child('metrics'), forMetrics),
    ...validateBehavior(spec),
  ];
}

/** Faults of the status of a HorizontalPodAutoscaler. */
export function validateAutoscalerStatus(autoscaler: KubeObject): FieldError[] {
  const status = readObject(autoscaler, 'status');
  const keys = ['currentReplicas', 'desiredReplicas'];
  return keys.flatMap((key) => validateNonnegative(status, key, FieldPath.root('status')));
}
