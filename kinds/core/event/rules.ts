import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { checkDns1123Label, checkPathSegmentName } from '../../../core/validation/names.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { readField, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { validateImmutable } from '../../workloads/validate-immutable.ts';

/** What happened to an object in a namespace is told there; what happened to others, in `default`. */
function validateNamespace(event: KubeObject, about: string): FieldError[] {
  const namespace = event.metadata.namespace ?? '';
  const other = readText(event, about, 'namespace');
  // Both groups name the field as the core group does.
  const path = FieldPath.root('involvedObject', 'namespace');
  if (other === '') {
    const isFine = namespace === '' || namespace === 'default' || namespace === 'kube-system';
    return isFine ? [] : [makeInvalid(path, other, 'does not match event.namespace')];
  }
  if (other === namespace) return [];
  return [makeInvalid(path, other, 'does not match event.namespace')];
}

function validateCore(event: KubeObject): FieldError[] {
  const namespace = event.metadata.namespace ?? '';
  const errors = validateNamespace(event, 'involvedObject');
  const faults = namespace === '' ? [] : checkDns1123Label(namespace);
  for (const fault of faults) errors.push(makeInvalid(FieldPath.root('namespace'), namespace, fault));
  if (readText(event, 'eventTime') === '') return errors;
  return [...errors, ...validateReport(event, 'reportingComponent')];
}

/** Faults of what newer events must say: who reports what, and why. */
function validateReport(event: KubeObject, controller: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of [controller, 'reportingInstance', 'action', 'reason']) {
    const value = readText(event, key);
    if (value === '') errors.push(makeRequired(FieldPath.root(key), ''));
    else if (value.length > 128) errors.push(makeInvalid(FieldPath.root(key), '', 'can have at most 128 characters'));
  }
  return errors;
}

function validateSeries(event: KubeObject): FieldError[] {
  const series = readObject(event, 'series');
  if (series === undefined) return [];
  const errors: FieldError[] = [];
  if ((readNumber(series, 'count') ?? 0) < 2) {
    errors.push(makeInvalid(FieldPath.root('series.count'), '', 'should be at least 2'));
  }
  if (readText(series, 'lastObservedTime') === '') {
    errors.push(makeRequired(FieldPath.root('series.lastObservedTime'), ''));
  }
  return errors;
}

const oldFields: readonly [string, string][] = [
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

function validateGroup(event: KubeObject): FieldError[] {
  const errors = validateNamespace(event, 'regarding');
  const eventTime = readText(event, 'eventTime');
  if (eventTime !== '') errors.push(...validateReport(event, 'reportingController'));
  errors.push(...validateSeries(event));
  if (eventTime === '') errors.push(makeRequired(FieldPath.root('eventTime'), ''));
  const type = readText(event, 'type');
  if (type !== 'Normal' && type !== 'Warning') {
    errors.push(makeInvalid(FieldPath.root('type'), '', `has invalid value: ${type}`));
  }
  for (const [key, name] of oldFields) {
    if (readField(event, key)) errors.push(makeInvalid(FieldPath.root(name), '', 'needs to be unset'));
  }
  const source = readObject(event, 'deprecatedSource') ?? {};
  if (Object.values(source).some((value) => value !== '')) {
    errors.push(makeInvalid(FieldPath.root('source'), '', 'needs to be unset'));
  }
  return errors;
}

const immutableFields: readonly [string, string][] = [
  ['regarding', 'involvedObject'],
  ['reason', 'reason'],
  ['note', 'message'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
];

/** How events of the core group are written. */
export const eventRules: WorkloadRules = {
  dependentsByDefault: 'ignore',
  allowCreateOnUpdate: true,
  allowsPlainFinalizers: true,
  validateName: checkPathSegmentName,
  validate: validateCore,
};

/** How events of the newer group are written: only their series may change. */
export const eventsGroupEventRules: WorkloadRules = {
  dependentsByDefault: 'ignore',
  allowCreateOnUpdate: true,
  validate: validateGroup,
  validateUpdate: (event, old) => [
    ...validateNamespace(event, 'regarding'),
    ...validateSeries(event),
    ...immutableFields.flatMap(([key, name]) =>
      validateImmutable(readField(event, key), readField(old, key), FieldPath.root(name)),
    ),
  ],
};
