import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import {
  makeDuplicate,
  makeForbidden,
  makeInvalid,
  makeNotFound,
  makeRequired,
} from '../../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { checkDns1123Label, checkPortName, checkPortNumber } from '../../../core/validation/names.ts';
import { readField, readItems, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { makeInvalids, validateChoice, validatePresent } from './validate-choice.ts';
import { validateEnvironment } from './validate-environment.ts';
import { validateLifecycle, validateProbes } from './validate-probes.ts';
import { validateContainerResources } from './validate-resources.ts';
import { validateVolumeDevices, validateVolumeMounts, type VolumesByName } from './validate-volumes.ts';

/** What the containers of a pod are validated against. */
export interface ContainerScope {
  readonly spec: unknown;
  readonly volumes: VolumesByName;
  readonly podClaims: ReadonlySet<string>;
}

function validatePorts(container: unknown, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, port] of readItems(container, 'ports').entries()) {
    const own = path.child('ports').index(index);
    const name = readText(port, 'name');
    const faults = name === '' ? [] : checkPortName(name);
    errors.push(...makeInvalids(own.child('name'), name, faults));
    if (name !== '' && faults.length === 0) {
      if (names.has(name)) errors.push(makeDuplicate(own.child('name'), name));
      names.add(name);
    }
    const number = readNumber(port, 'containerPort') ?? 0;
    if (number === 0) errors.push(makeRequired(own.child('containerPort'), ''));
    else errors.push(...makeInvalids(own.child('containerPort'), number, checkPortNumber(number)));
    const hostPort = readNumber(port, 'hostPort') ?? 0;
    if (hostPort !== 0) errors.push(...makeInvalids(own.child('hostPort'), hostPort, checkPortNumber(hostPort)));
    errors.push(...validateChoice(port, 'protocol', ['SCTP', 'TCP', 'UDP'], own));
  }
  return errors;
}

/** Faults of ports of the host that several of the containers want. `path` is that of the list. */
function validateHostPorts(containers: readonly JsonObject[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [portIndex, port] of readItems(container, 'ports').entries()) {
      const number = readNumber(port, 'hostPort') ?? 0;
      if (number === 0) continue;
      const key = `${readText(port, 'protocol')}/${readText(port, 'hostIP')}/${number}`;
      const own = path.index(index).child('ports').index(portIndex).child('hostPort');
      if (taken.has(key)) errors.push(makeDuplicate(own, key));
      taken.add(key);
    }
  }
  return errors;
}

function validateResizePolicy(container: unknown, spec: unknown, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const own = path.child('resizePolicy');
  for (const [index, policy] of readItems(container, 'resizePolicy').entries()) {
    const name = readText(policy, 'resourceName');
    if (seen.has(name)) errors.push(makeDuplicate(own.index(index), name));
    seen.add(name);
    const restart = readText(policy, 'restartPolicy');
    if (readText(spec, 'restartPolicy') === 'Never' && restart !== 'NotRequired') {
      errors.push(makeInvalid(own, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    }
  }
  return errors;
}

function validateSecurityContext(container: unknown, path: FieldPath): FieldError[] {
  const context = readObject(container, 'securityContext');
  const own = path.child('securityContext');
  const errors = ['runAsUser', 'runAsGroup'].flatMap((key) => {
    const id = readNumber(context, key);
    return id === undefined || (id >= 0 && id <= 0x7fffffff)
      ? []
      : [makeInvalid(own.child(key), id, 'must be between 0 and 2147483647, inclusive')];
  });
  const allowed = readField(context, 'allowPrivilegeEscalation');
  const adds = readField(context, 'capabilities', 'add');
  if (allowed === false && readField(context, 'privileged') === true) {
    const detail = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true';
    errors.push(makeInvalid(own, context, detail));
  }
  if (allowed === false && Array.isArray(adds) && (adds.includes('SYS_ADMIN') || adds.includes('CAP_SYS_ADMIN'))) {
    const detail = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN';
    errors.push(makeInvalid(own, context, detail));
  }
  return errors;
}

function validateContainer(container: JsonObject, scope: ContainerScope, path: FieldPath): FieldError[] {
  const name = readText(container, 'name');
  return [
    ...(name === ''
      ? [makeRequired(path.child('name'), '')]
      : makeInvalids(path.child('name'), name, checkDns1123Label(name))),
    ...validatePresent(container, 'image', path),
    ...validateChoice(container, 'terminationMessagePolicy', ['File', 'FallbackToLogsOnError'], path),
    ...validatePorts(container, path),
    ...validateEnvironment(container, path),
    ...validateVolumeMounts(container, scope.volumes, path),
    ...validateVolumeDevices(container, scope.volumes, path),
    ...validateChoice(container, 'imagePullPolicy', ['Always', 'IfNotPresent', 'Never'], path),
    ...validateContainerResources(readObject(container, 'resources'), scope.podClaims, path.child('resources')),
    ...validateResizePolicy(container, scope.spec, path),
    ...validateSecurityContext(container, path),
  ];
}

function validateRuntime(container: JsonObject, spec: unknown, path: FieldPath): FieldError[] {
  const graceSeconds = readNumber(spec, 'terminationGracePeriodSeconds');
  const hasOs = readText(spec, 'os', 'name') !== '';
  return [...validateLifecycle(container, graceSeconds, hasOs, path), ...validateProbes(container, graceSeconds, path)];
}

function validateRegular(scope: ContainerScope, path: FieldPath): FieldError[] {
  const containers = readItems(scope.spec, 'containers');
  if (containers.length === 0) return [makeRequired(path, '')];
  const names = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const own = path.index(index);
    const name = readText(container, 'name');
    const isRepeated = names.has(name);
    names.add(name);
    return [
      ...validateContainer(container, scope, own),
      ...(isRepeated ? [makeDuplicate(own.child('name'), name)] : []),
      ...validateRuntime(container, scope.spec, own),
    ];
  });
  return [...errors, ...validateHostPorts(containers, path)];
}

function validateInit(scope: ContainerScope, path: FieldPath): FieldError[] {
  const names = new Set(readItems(scope.spec, 'containers').map((container) => readText(container, 'name')));
  return readItems(scope.spec, 'initContainers').flatMap((container, index) => {
    const own = path.index(index);
    const name = readText(container, 'name');
    const errors = validateContainer(container, scope, own);
    const isSidecar = readText(container, 'restartPolicy') === 'Always';
    if (!isSidecar && readField(container, 'restartPolicy') !== undefined) {
      errors.push(...validateChoice(container, 'restartPolicy', ['Always'], own));
    }
    if (names.has(name)) errors.push(makeDuplicate(own.child('name'), name));
    if (name !== '') names.add(name);
    errors.push(...validateHostPorts([container], path));
    if (isSidecar) return [...errors, ...validateRuntime(container, scope.spec, own)];
    for (const key of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
      const detail = 'may not be set for init containers without restartPolicy=Always';
      if (readField(container, key) !== undefined) errors.push(makeForbidden(own.child(key), detail));
    }
    return errors;
  });
}

const ephemeralFields = new Set([
  ...['name', 'image', 'command', 'args', 'workingDir', 'env', 'envFrom', 'volumeMounts', 'volumeDevices'],
  ...['resizePolicy', 'terminationMessagePath', 'terminationMessagePolicy', 'imagePullPolicy', 'securityContext'],
  ...['stdin', 'stdinOnce', 'tty', 'targetContainerName'],
]);

function isSet(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null;
}

function validateEphemeral(scope: ContainerScope, path: FieldPath): FieldError[] {
  const others = ['containers', 'initContainers'].flatMap((key) => readItems(scope.spec, key));
  const otherNames = new Set(others.map((container) => readText(container, 'name')));
  const names = new Set(otherNames);
  return readItems(scope.spec, 'ephemeralContainers').flatMap((container, index) => {
    const own = path.index(index);
    const name = readText(container, 'name');
    const target = readText(container, 'targetContainerName');
    const errors = [...validateContainer(container, scope, own), ...validateImageText(container, own)];
    if (names.has(name)) errors.push(makeDuplicate(own.child('name'), name));
    names.add(name);
    if (target !== '' && !otherNames.has(target)) {
      errors.push(makeNotFound(own.child('targetContainerName'), target));
    }
    for (const key of Object.keys(container)) {
      if (ephemeralFields.has(key) || !isSet(container[key])) continue;
      errors.push(makeForbidden(own.child(key), 'cannot be set for an Ephemeral Container'));
    }
    return errors;
  });
}

/** Faults of the text of an image's name, which only pods are checked for. */
export function validateImageText(container: JsonObject, path: FieldPath): FieldError[] {
  const image = readText(container, 'image');
  const detail = 'must not have leading or trailing whitespace';
  return image.trim() === image ? [] : [makeInvalid(path.child('image'), image, detail)];
}

/** Faults of the containers of every sort. `path` is that of the specification. */
export function validateContainers(scope: ContainerScope, path: FieldPath): FieldError[] {
  return [
    ...validateRegular(scope, path.child('containers')),
    ...validateInit(scope, path.child('initContainers')),
    ...validateEphemeral(scope, path.child('ephemeralContainers')),
  ];
}
