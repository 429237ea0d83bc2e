import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { checkConfigMapKey, checkDns1123Subdomain } from '../../../core/validation/names.ts';
import { readItems, readObject, readText } from '../../workloads/read-field.ts';
import { makeInvalids } from './validate-choice.ts';

const podFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** Fields of pods that selectors know, but that no variable takes its value from. */
const otherPodFields = [
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
];
const amounts = ['cpu', 'memory', 'ephemeral-storage'];
const containerFields = [...amounts.map((name) => `limits.${name}`), ...amounts.map((name) => `requests.${name}`)];
const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'];

/** Printable ASCII without `=` is enough for the name of a variable. */
function checkVariableName(name: string): string[] {
  const fault = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return /^[ -<>-~]+$/.test(name) ? [] : [fault];
}

/** What stands before the last `['` of a path that ends with `']`; `undefined` for a path without a subscript. */
function findSubscripted(fieldPath: string): string | undefined {
  const at = fieldPath.endsWith("']") ? fieldPath.lastIndexOf("['") : -1;
  return at > 0 && at + 4 <= fieldPath.length ? fieldPath.slice(0, at) : undefined;
}

function validateFieldRef(selector: JsonObject, path: FieldPath): FieldError[] {
  const fieldPath = readText(selector, 'fieldPath');
  if (readText(selector, 'apiVersion') === '') return [makeRequired(path.child('apiVersion'), '')];
  if (fieldPath === '') return [makeRequired(path.child('fieldPath'), '')];
  const own = path.child('fieldPath');
  const subscripted = findSubscripted(fieldPath);
  if (subscripted !== undefined) {
    if (subscripted === 'metadata.annotations' || subscripted === 'metadata.labels') return [];
    return [
      makeInvalid(own, fieldPath, `error converting fieldPath: field label does not support subscript: ${fieldPath}`),
    ];
  }
  if (podFields.includes(fieldPath)) return [];
  if (!otherPodFields.includes(fieldPath)) {
    return [makeInvalid(own, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
  }
  return [makeNotSupported(own, fieldPath, [...podFields].sort())];
}

function validateResourceFieldRef(selector: JsonObject, path: FieldPath): FieldError[] {
  const resource = readText(selector, 'resource');
  if (resource === '') return [makeRequired(path.child('resource'), '')];
  if (containerFields.includes(resource) || /^(requests|limits)\.hugepages-/.test(resource)) return [];
  return [makeNotSupported(path.child('resource'), resource, [...containerFields].sort())];
}

function validateKeyRef(selector: JsonObject, path: FieldPath): FieldError[] {
  const name = readText(selector, 'name');
  const key = readText(selector, 'key');
  return [
    ...(name === '' ? [] : makeInvalids(path.child('name'), name, checkDns1123Subdomain(name))),
    ...(key === ''
      ? [makeRequired(path.child('key'), '')]
      : makeInvalids(path.child('key'), key, checkConfigMapKey(key))),
  ];
}

function validateValueFrom(variable: JsonObject, path: FieldPath): FieldError[] {
  const from = readObject(variable, 'valueFrom');
  if (from === undefined) return [];
  const errors: FieldError[] = [];
  const present = sources.filter((name) => readObject(from, name) !== undefined);
  for (const name of present) {
    const check =
      name === 'fieldRef' ? validateFieldRef : name === 'resourceFieldRef' ? validateResourceFieldRef : validateKeyRef;
    errors.push(...check(readObject(from, name) ?? {}, path.child(name)));
  }
  if (present.length === 0) {
    const detail = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
    errors.push(makeInvalid(path, '', detail));
  } else if (readText(variable, 'value') !== '') {
    errors.push(makeInvalid(path, '', 'may not be specified when `value` is not empty'));
  } else if (present.length > 1) {
    errors.push(makeInvalid(path, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

/** Faults of a container's variables. */
export function validateEnvironment(container: unknown, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, variable] of readItems(container, 'env').entries()) {
    const own = path.child('env').index(index);
    const name = readText(variable, 'name');
    if (name === '') errors.push(makeRequired(own.child('name'), ''));
    else errors.push(...makeInvalids(own.child('name'), name, checkVariableName(name)));
    errors.push(...validateValueFrom(variable, own.child('valueFrom')));
  }
  for (const [index, source] of readItems(container, 'envFrom').entries()) {
    const own = path.child('envFrom').index(index);
    // Upstream names the list here, not the item.
    const list = path.child('envFrom');
    const prefix = readText(source, 'prefix');
    if (prefix !== '') errors.push(...makeInvalids(own.child('prefix'), prefix, checkVariableName(prefix)));
    const present = ['configMapRef', 'secretRef'].filter((key) => readObject(source, key) !== undefined);
    for (const key of present) {
      const name = readText(source, key, 'name');
      if (name === '') errors.push(makeRequired(own.child(key, 'name'), ''));
      else errors.push(...makeInvalids(own.child(key, 'name'), name, checkDns1123Subdomain(name)));
    }
    if (present.length === 0) errors.push(makeInvalid(list, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (present.length > 1) errors.push(makeInvalid(list, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}
