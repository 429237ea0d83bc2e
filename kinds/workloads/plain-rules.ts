import type { FieldError } from '../../core/errors/field-error.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import {
  makeForbidden,
  makeInvalid,
  makeNotSupported,
  makeRequired,
  makeTooLong,
} from '../../core/errors/make-field-error.ts';
import { isJsonObject } from '../../core/meta/json.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { validateIp } from '../../core/validation/ip.ts';
import { checkDns1123Subdomain, checkQualifiedName } from '../../core/validation/names.ts';
import { validateChoice, validateNonnegative } from '../core/pod-spec/validate-choice.ts';
import type { WorkloadRules } from './define-workload-kind.ts';
import {
  ensureObject,
  fillField,
  readField,
  readFlag,
  readItems,
  readList,
  readTextList,
  readNumber,
  readObject,
  readText,
} from './read-field.ts';
import { validateImmutable } from './validate-immutable.ts';

function validateKept(object: KubeObject, old: KubeObject, keys: readonly string[]): FieldError[] {
  return keys.flatMap((key) => validateImmutable(readField(object, key), readField(old, key), FieldPath.root(key)));
}

/** Rules of a kind whose given top-level fields never change. */
export function classRules(fields: readonly string[]): WorkloadRules {
  return { validateChange: (object, old) => validateKept(object, old, fields) };
}

/** CSINode is written whole by its node. */
export const nodeScopedRules: WorkloadRules = { allowUnconditionalUpdate: false };

/** How controller revisions are written. */
export const controllerRevisionRules: WorkloadRules = {
  validate: (object) => validateNonnegative(object, 'revision', FieldPath.empty),
  validateNew(object) {
    const data = readField(object, 'data');
    if (data === undefined || data === null) return [makeRequired(FieldPath.root('data'), 'data is mandatory')];
    return isJsonObject(data) ? [] : [makeRequired(FieldPath.root('data'), 'data must be a valid JSON object')];
  },
  validateChange: (object, old) => validateKept(object, old, ['data']),
};

const positiveSpecFields = ['leaseDurationSeconds'];

/** How leases are written. */
export const leaseRules: WorkloadRules = {
  allowCreateOnUpdate: true,
  allowsPlainFinalizers: true,
  allowUnconditionalUpdate: false,
  validate(lease) {
    const path = FieldPath.root('spec');
    const errors: FieldError[] = [];
    for (const key of positiveSpecFields) {
      const value = readNumber(lease, 'spec', key);
      if (value !== undefined && value <= 0) errors.push(makeInvalid(path.child(key), value, 'must be greater than 0'));
    }
    const spec = readObject(lease, 'spec');
    errors.push(...validateNonnegative(spec, 'leaseTransitions', path));
    return errors;
  },
};

function validateEndpointSlice(slice: KubeObject): FieldError[] {
  const type = readText(slice, 'addressType');
  const errors = validateChoice(slice, 'addressType', ['FQDN', 'IPv4', 'IPv6'], FieldPath.empty);
  for (const [index, endpoint] of readItems(slice, 'endpoints').entries()) {
    const path = FieldPath.root('endpoints').index(index).child('addresses');
    const addresses = readTextList(endpoint, 'addresses');
    if (addresses.length === 0) errors.push(makeRequired(path, 'must contain at least 1 address'));
    if (type === 'FQDN') continue;
    errors.push(...addresses.flatMap((address, position) => validateIp(address, path.index(position))));
  }
  for (const [index, port] of readItems(slice, 'ports').entries()) {
    errors.push(...validateChoice(port, 'protocol', ['SCTP', 'TCP', 'UDP'], FieldPath.root('ports').index(index)));
  }
  return errors;
}

/** How endpoint slices are written. */
export const endpointSliceRules: WorkloadRules = {
  applyDefaults(slice) {
    for (const port of readItems(slice, 'ports')) {
      if (port['name'] === undefined) port['name'] = '';
      fillField(port, 'protocol', 'TCP');
    }
  },
  validate: validateEndpointSlice,
  validateChange: (slice, old) => validateKept(slice, old, ['addressType']),
};

const HTTP_PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Faults of a path below a domain, such as `acme.io/foo`. */
function validateController(controller: string, path: FieldPath): FieldError[] {
  if (controller === '') return [makeRequired(path, '')];
  if (controller.length > 250) return [makeTooLong(path, '', 250)];
  const at = controller.indexOf('/');
  const [host, rest] = [controller.slice(0, Math.max(at, 0)), controller.slice(at + 1)];
  if (host === '' || rest === '') {
    return [makeInvalid(path, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = checkDns1123Subdomain(host).map((fault) => makeInvalid(path, host, fault));
  if (HTTP_PATH.test(rest)) return errors;
  const rule = "regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+'";
  return [...errors, makeInvalid(path, rest, `Invalid path (${rule})`)];
}

/** How ingress classes are written. */
export const ingressClassRules: WorkloadRules = {
  applyDefaults(ingressClass) {
    const parameters = readObject(ingressClass, 'spec', 'parameters');
    if (parameters !== undefined) fillField(parameters, 'scope', 'Cluster');
  },
  validate(ingressClass) {
    const path = FieldPath.root('spec');
    const parameters = readObject(ingressClass, 'spec', 'parameters');
    const own = path.child('parameters');
    const errors = validateController(readText(ingressClass, 'spec', 'controller'), path.child('controller'));
    if (parameters === undefined) return errors;
    for (const key of ['name', 'kind']) {
      if (readText(parameters, key) === '') errors.push(makeRequired(own.child(key), ''));
    }
    const scope = readText(parameters, 'scope');
    const namespace = readField(parameters, 'namespace');
    if (scope !== 'Cluster' && scope !== 'Namespace') {
      errors.push(makeNotSupported(own.child('scope'), scope, ['Cluster', 'Namespace']));
    } else if (scope === 'Namespace' && namespace === undefined) {
      const detail = "`parameters.scope` is set to 'Namespace'";
      errors.push(makeRequired(own.child('namespace'), detail));
    } else if (scope === 'Cluster' && namespace !== undefined) {
      const detail = "`parameters.scope` is set to 'Cluster'";
      errors.push(makeForbidden(own.child('namespace'), detail));
    }
    return errors;
  },
  validateChange(ingressClass, old) {
    const path = FieldPath.root('spec', 'controller');
    return validateImmutable(readText(ingressClass, 'spec', 'controller'), readText(old, 'spec', 'controller'), path);
  },
};

const highestUserPriority = 1_000_000_000;

/** How priority classes are written. */
export const priorityClassRules: WorkloadRules = {
  applyDefaults(priorityClass) {
    fillField(priorityClass, 'preemptionPolicy', 'PreemptLowerPriority');
  },
  validate(priorityClass) {
    const name = priorityClass.metadata.name ?? '';
    const value = readNumber(priorityClass, 'value') ?? 0;
    const errors: FieldError[] = [];
    const isSystem = name.startsWith('system-');
    const known: Readonly<Record<string, number>> = {
      'system-node-critical': 2_000_001_000,
      'system-cluster-critical': 2_000_000_000,
    };
    if (isSystem && known[name] !== value) {
      const wanted = known[name];
      const cause =
        wanted === undefined
          ? `${name} is not a known system priority class`
          : `value of ${name} PriorityClass must be ${wanted}`;
      const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${cause}`;
      errors.push(makeForbidden(FieldPath.root('metadata', 'name'), detail));
    } else if (!isSystem && value > highestUserPriority) {
      const detail = `maximum allowed value of a user defined priority is ${highestUserPriority}`;
      errors.push(makeForbidden(FieldPath.root('value'), detail));
    }
    const policies = ['PreemptLowerPriority', 'Never'];
    return [...errors, ...validateChoice(priorityClass, 'preemptionPolicy', policies, FieldPath.empty)];
  },
  validateUpdate(priorityClass, old) {
    const errors: FieldError[] = [];
    if (readNumber(priorityClass, 'value') !== readNumber(old, 'value')) {
      errors.push(makeForbidden(FieldPath.root('value'), 'may not be changed in an update.'));
    }
    const policy = readText(priorityClass, 'preemptionPolicy');
    return [
      ...errors,
      ...validateImmutable(policy, readText(old, 'preemptionPolicy'), FieldPath.root('preemptionPolicy')),
    ];
  },
};

function applyDeviceDefaults(request: JsonObject): void {
  fillField(request, 'allocationMode', 'ExactCount');
  if (request['allocationMode'] === 'ExactCount' && !readNumber(request, 'count')) request['count'] = 1;
}

/** Rules of a kind that asks for devices at a path and never changes what it asks for. */
export function deviceRules(...path: string[]): WorkloadRules {
  return {
    ...classRules(['spec']),
    applyDefaults(object) {
      for (const request of readItems(object, ...path, 'devices', 'requests')) {
        const exactly = readObject(request, 'exactly');
        if (exactly !== undefined) applyDeviceDefaults(exactly);
        for (const choice of readItems(request, 'firstAvailable')) applyDeviceDefaults(choice);
      }
    },
  };
}

function validateProvisioner(provisioner: string, path: FieldPath): FieldError[] {
  if (provisioner === '') return [makeRequired(path, '')];
  return checkQualifiedName(provisioner).map((fault) => makeInvalid(path, provisioner, fault));
}

/** How storage classes are written. */
export const storageClassRules: WorkloadRules = {
  applyDefaults(storageClass) {
    fillField(storageClass, 'reclaimPolicy', 'Delete');
    fillField(storageClass, 'volumeBindingMode', 'Immediate');
  },
  validate: (storageClass) => [
    ...validateProvisioner(readText(storageClass, 'provisioner').toLowerCase(), FieldPath.root('provisioner')),
    ...validateChoice(storageClass, 'reclaimPolicy', ['Delete', 'Retain'], FieldPath.empty),
    ...validateChoice(storageClass, 'volumeBindingMode', ['Immediate', 'WaitForFirstConsumer'], FieldPath.empty),
  ],
  validateUpdate(storageClass, old) {
    const errors: FieldError[] = [];
    for (const key of ['parameters', 'provisioner']) {
      if (validateKept(storageClass, old, [key]).length === 0) continue;
      const detail =
        key === 'parameters' ? 'updates to parameters are forbidden.' : 'updates to provisioner are forbidden.';
      errors.push(makeForbidden(FieldPath.root(key), detail));
    }
    if (readText(storageClass, 'reclaimPolicy') !== readText(old, 'reclaimPolicy')) {
      errors.push(makeForbidden(FieldPath.root('reclaimPolicy'), 'updates to reclaimPolicy are forbidden.'));
    }
    return [...errors, ...validateKept(storageClass, old, ['volumeBindingMode'])];
  },
};

/** How storage drivers are written. */
export const csiDriverRules: WorkloadRules = {
  allowUnconditionalUpdate: false,
  applyDefaults(driver) {
    const spec = ensureObject(driver, 'spec');
    fillField(spec, 'attachRequired', true);
    fillField(spec, 'podInfoOnMount', false);
    fillField(spec, 'storageCapacity', false);
    fillField(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
    fillField(spec, 'requiresRepublish', false);
    fillField(spec, 'seLinuxMount', readFlag(spec, 'seLinuxMount'));
    if (readList(spec, 'volumeLifecycleModes').length === 0) spec['volumeLifecycleModes'] = ['Persistent'];
  },
};
