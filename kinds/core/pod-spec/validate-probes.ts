import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { isJsonObject, type JsonObject } from '../../../core/meta/json.ts';
import { checkHttpHeaderName, checkPortName, checkPortNumber } from '../../../core/validation/names.ts';
import { readField, readItems, readList, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { makeInvalids, validateChoice, validateNonnegative, validatePresent } from './validate-choice.ts';

/** Faults of a port given by number or by name. */
export function validatePortOrName(port: unknown, path: FieldPath): FieldError[] {
  if (typeof port === 'string') return makeInvalids(path, port, checkPortName(port));
  const number = typeof port === 'number' ? port : 0;
  return makeInvalids(path, number, checkPortNumber(number));
}

function validateHttpGet(action: JsonObject, path: FieldPath): FieldError[] {
  return [
    ...validatePresent(action, 'path', path),
    ...validatePortOrName(action['port'], path.child('port')),
    ...validateChoice(action, 'scheme', ['HTTP', 'HTTPS'], path),
    ...readItems(action, 'httpHeaders').flatMap((header) => {
      const name = readText(header, 'name');
      return makeInvalids(path.child('httpHeaders'), name, checkHttpHeaderName(name));
    }),
  ];
}

function validateSleep(action: JsonObject, graceSeconds: number | undefined, path: FieldPath): FieldError[] {
  const seconds = readNumber(action, 'seconds') ?? 0;
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [makeInvalid(path, seconds, detail)];
}

type ActionCheck = (action: JsonObject, path: FieldPath, graceSeconds: number | undefined) => FieldError[];

const actions: Readonly<Record<string, ActionCheck>> = {
  exec: (action, path) => (readList(action, 'command').length === 0 ? [makeRequired(path.child('command'), '')] : []),
  httpGet: validateHttpGet,
  tcpSocket: (action, path) => validatePortOrName(action['port'], path.child('port')),
  grpc: (action, path) => validatePortOrName(readNumber(action, 'port') ?? 0, path.child('port')),
  sleep: (action, path, graceSeconds) => validateSleep(action, graceSeconds, path),
};

/** Faults of what is done for a probe or a lifecycle event: exactly one action. */
function validateHandler(handler: unknown, graceSeconds: number | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const [name, check] of Object.entries(actions)) {
    const action = readField(handler, name);
    if (!isJsonObject(action)) continue;
    count += 1;
    if (count > 1) errors.push(makeForbidden(path.child(name), 'may not specify more than 1 handler type'));
    else errors.push(...check(action, path.child(name), graceSeconds));
  }
  if (count === 0) errors.push(makeRequired(path, 'must specify a handler type'));
  return errors;
}

/** Faults of a container's probes. */
export function validateProbes(container: unknown, graceSeconds: number | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = readObject(container, name);
    if (probe === undefined) continue;
    const own = path.child(name);
    errors.push(...validateHandler(probe, graceSeconds, own));
    const counts = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
    errors.push(...counts.flatMap((key) => validateNonnegative(probe, key, own)));
    const grace = readNumber(probe, 'terminationGracePeriodSeconds');
    if (grace !== undefined && grace <= 0) {
      errors.push(makeInvalid(own.child('terminationGracePeriodSeconds'), grace, 'must be greater than 0'));
    }
    if (name === 'readinessProbe') {
      const detail = 'must not be set for readinessProbes';
      if (grace !== undefined) errors.push(makeInvalid(own.child('terminationGracePeriodSeconds'), grace, detail));
    } else if (readNumber(probe, 'successThreshold') !== 1) {
      errors.push(makeInvalid(own.child('successThreshold'), readNumber(probe, 'successThreshold') ?? 0, 'must be 1'));
    }
  }
  return errors;
}

/** Faults of a container's lifecycle events. `hasOs` tells whether the pod names its operating system. */
export function validateLifecycle(
  container: unknown,
  graceSeconds: number | undefined,
  hasOs: boolean,
  path: FieldPath,
): FieldError[] {
  const lifecycle = readObject(container, 'lifecycle');
  const own = path.child('lifecycle');
  const errors = ['postStart', 'preStop'].flatMap((name) => {
    const handler = readObject(lifecycle, name);
    return handler === undefined ? [] : validateHandler(handler, graceSeconds, own.child(name));
  });
  if (readText(lifecycle, 'stopSignal') !== '' && !hasOs) {
    const detail = 'may not be set for containers with empty `spec.os.name`';
    errors.push(makeForbidden(own.child('stopSignal'), detail));
  }
  return errors;
}
