import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortName,
  checkPortNumber,
} from '../../../core/validation/names.ts';
import type { IngressBackend, IngressServiceBackend } from './schema.ts';

/** What an update lets pass since the stored object has it already. */
export interface BackendTolerance {
  /** Service names that are DNS-1123 labels but not DNS-1035 labels. */
  readonly relaxedServiceNames: boolean;
}

function invalidEach(path: FieldPath, value: unknown, faults: readonly string[]): FieldError[] {
  return faults.map((fault) => makeInvalid(path, value, fault));
}

function validateResource(resource: NonNullable<IngressBackend['resource']>, path: FieldPath): FieldError[] {
  const { apiGroup, kind, name } = resource;
  const errors: FieldError[] = [];
  if (apiGroup !== undefined && apiGroup !== null) {
    errors.push(...invalidEach(path.child('apiGroup'), apiGroup, checkDns1123Subdomain(apiGroup)));
  }
  for (const [field, value] of [
    ['kind', kind],
    ['name', name],
  ] as const) {
    if (value === '') errors.push(makeRequired(path.child(field), ''));
    else errors.push(...invalidEach(path.child(field), value, checkPathSegmentName(value, false)));
  }
  return errors;
}

function validatePort(port: IngressServiceBackend['port'], path: FieldPath): FieldError[] {
  const { name = '', number = 0 } = port;
  if (name !== '' && number !== 0) return [makeInvalid(path, '', 'cannot set both port name & port number')];
  if (name !== '') return invalidEach(path.child('service', 'port', 'name'), name, checkPortName(name));
  if (number !== 0) return invalidEach(path.child('service', 'port', 'number'), number, checkPortNumber(number));
  return [makeRequired(path, 'port name or number is required')];
}

function validateService(service: IngressServiceBackend, path: FieldPath, tolerance: BackendTolerance): FieldError[] {
  const namePath = path.child('service', 'name');
  const checkName = tolerance.relaxedServiceNames ? checkDns1123Label : checkDns1035Label;
  const nameErrors =
    service.name === '' ? [makeRequired(namePath, '')] : invalidEach(namePath, service.name, checkName(service.name));
  return [...nameErrors, ...validatePort(service.port, path)];
}

/** Faults of a backend: exactly one of service and resource, each with its parts. */
export function validateBackend(backend: IngressBackend, path: FieldPath, tolerance: BackendTolerance): FieldError[] {
  const { resource, service } = backend;
  if (resource !== undefined && service !== undefined) {
    return [makeInvalid(path, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return validateResource(resource, path.child('resource'));
  if (service !== undefined) return validateService(service, path, tolerance);
  return [makeInvalid(path, '', 'resource or service backend is required')];
}
