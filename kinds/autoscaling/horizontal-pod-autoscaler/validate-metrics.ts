import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { isQuantityFault, parseQuantity, signOfQuantity } from '../../../core/quantity/quantity.ts';
import { checkDns1123Label } from '../../../core/validation/names.ts';
import { makeInvalids } from '../../core/pod-spec/validate-choice.ts';
import { validateContainerResourceName } from '../../core/resource-names.ts';
import { readField, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { validateObjectReference, validateSegment, type ReferenceRules } from './validate-object-reference.ts';

const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
/** The member that each type of metric fills, in the order in which they are looked at. */
const sources: Readonly<Record<string, string>> = {
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

function has(value: unknown, key: string): boolean {
  return (readField(value, key) ?? null) !== null;
}

function validateTarget(source: JsonObject, at: FieldPath): FieldError[] {
  const path = at.child('target');
  const target = readObject(source, 'target') ?? {};
  const errors: FieldError[] = [];
  const type = readText(target, 'type');
  if (type === '') errors.push(makeRequired(path.child('type'), 'must specify a metric target type'));
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    errors.push(makeInvalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const key of ['value', 'averageValue']) {
    if (!has(target, key)) continue;
    const text = readText(target, key);
    const quantity = parseQuantity(text);
    if (isQuantityFault(quantity) || signOfQuantity(quantity) !== 1) {
      errors.push(makeInvalid(path.child(key), text, 'must be positive'));
    }
  }
  const utilization = readNumber(target, 'averageUtilization');
  if (utilization !== undefined && utilization < 1) {
    errors.push(makeInvalid(path.child('averageUtilization'), utilization, 'must be greater than 0'));
  }
  return errors;
}

function validateIdentifier(source: JsonObject, path: FieldPath): FieldError[] {
  const name = readText(source, 'metric', 'name');
  return validateSegment(name, path.child('metric', 'name'), 'must specify a metric name');
}

/** Metrics of resources are measured against a share of the request, or an amount, never both. */
function validateUtilization(source: JsonObject, at: FieldPath): FieldError[] {
  const path = at.child('target');
  const target = readObject(source, 'target');
  const [byShare, byAmount] = [has(target, 'averageUtilization'), has(target, 'averageValue')];
  if (!byShare && !byAmount) {
    return [
      makeRequired(path.child('averageUtilization'), 'must set either a target raw value or a target utilization'),
    ];
  }
  if (!byShare || !byAmount) return [];
  return [makeForbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization')];
}

function validateContainer(source: JsonObject, path: FieldPath): FieldError[] {
  const container = readText(source, 'container');
  if (container === '') return [makeRequired(path.child('container'), 'must specify a container')];
  return makeInvalids(path.child('container'), container, checkDns1123Label(container));
}

function validateName(source: JsonObject, path: FieldPath): FieldError[] {
  return readText(source, 'name') === '' ? [makeRequired(path.child('name'), 'must specify a resource name')] : [];
}

function validateContainerResource(source: JsonObject, path: FieldPath): FieldError[] {
  const name = readText(source, 'name');
  return name === '' ? validateName(source, path) : validateContainerResourceName(name, path.child('name'));
}

function validateSource(key: string, source: JsonObject, path: FieldPath, rules: ReferenceRules): FieldError[] {
  const target = readObject(source, 'target');
  const [value, averageValue] = [has(target, 'value'), has(target, 'averageValue')];
  const average = path.child('target', 'averageValue');
  switch (key) {
    case 'object':
      return [
        ...validateObjectReference(readObject(source, 'describedObject'), path.child('describedObject'), rules),
        ...validateIdentifier(source, path),
        ...validateTarget(source, path),
        ...(value || averageValue ? [] : [makeRequired(average, 'must set either a target value or averageValue')]),
      ];
    case 'external':
      return [
        ...validateIdentifier(source, path),
        ...validateTarget(source, path),
        ...(value || averageValue
          ? []
          : [makeRequired(average, 'must set either a target value for metric or a per-pod target')]),
        ...(value && averageValue
          ? [
              makeForbidden(
                path.child('target', 'value'),
                'may not set both a target value for metric and a per-pod target',
              ),
            ]
          : []),
      ];
    case 'pods':
      return [
        ...validateIdentifier(source, path),
        ...validateTarget(source, path),
        ...(averageValue ? [] : [makeRequired(average, 'must specify a positive target averageValue')]),
      ];
    case 'containerResource':
      return [
        ...validateContainerResource(source, path),
        ...validateContainer(source, path),
        ...validateTarget(source, path),
        ...validateUtilization(source, path),
      ];
    default:
      return [...validateName(source, path), ...validateTarget(source, path), ...validateUtilization(source, path)];
  }
}

function validateMetric(metric: JsonObject, path: FieldPath, rules: ReferenceRules): FieldError[] {
  const type = readText(metric, 'type');
  const errors: FieldError[] = [];
  const unsupported = makeNotSupported(path.child('type'), type, metricTypes);
  if (type === '') errors.push(makeRequired(path.child('type'), 'must specify a metric source type'));
  if (!metricTypes.includes(type)) errors.push(unsupported);
  const present = Object.values(sources).filter((key) => readObject(metric, key) !== undefined);
  const [first] = present;
  if (first !== undefined) {
    errors.push(...validateSource(first, readObject(metric, first) ?? {}, path.child(first), rules));
  }
  const expected = sources[type];
  if (expected === undefined) errors.push(unsupported);
  else if (!present.includes(expected)) {
    errors.push(makeRequired(path.child(expected), 'must populate information for the given metric source'));
  }
  if (present.length === 1) return errors;
  const others = present.filter((key) => key !== expected);
  return [
    ...errors,
    ...others.map((key) => makeForbidden(path.child(key), 'must populate the given metric source only')),
  ];
}

/** Faults of the metrics that an autoscaler looks at. */
export function validateMetrics(
  metrics: readonly JsonObject[],
  minReplicas: number | undefined,
  path: FieldPath,
  rules: ReferenceRules,
): FieldError[] {
  const errors = metrics.flatMap((metric, index) => validateMetric(metric, path.index(index), rules));
  const mayBeNone = metrics.some((metric) => ['Object', 'External'].includes(readText(metric, 'type')));
  if (minReplicas !== 0 || mayBeNone) return errors;
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [...errors, makeForbidden(path, detail)];
}
