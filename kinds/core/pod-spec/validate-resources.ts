import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import {
  makeDuplicate,
  makeForbidden,
  makeInvalid,
  makeNotFound,
  makeNotSupported,
  makeRequired,
} from '../../../core/errors/make-field-error.ts';
import {
  compareQuantities,
  formatQuantity,
  quantityFromInteger,
  quantityToMilli,
  readQuantity,
  signOfQuantity,
  type Quantity,
} from '../../../core/quantity/quantity.ts';
import { checkDns1123Label } from '../../../core/validation/names.ts';
import { readItems, readObject, readText } from '../../workloads/read-field.ts';
import { isPodLevelResource, readSpecified, sumContainers, type PodResources } from '../pod/pod-resources.ts';
import { listResourceNames, type ResourceList } from '../resource-lists.ts';
import {
  isExtendedResourceName,
  isIntegerResourceName,
  validateContainerResourceName,
  validateResourceName,
} from '../resource-names.ts';
import { readUsage, type Usage } from '../resource-quota/usage.ts';

type NameCheck = (name: string, path: FieldPath) => FieldError[];

const hugePages = 'hugepages-';

function isOvercommitAllowed(name: string): boolean {
  return !isExtendedResourceName(name) && !name.startsWith(hugePages);
}

/** Faults of an amount of a resource: it may not be negative, and amounts of whole things are whole. */
function validateAmount(name: string, amount: Quantity, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (signOfQuantity(amount) < 0) {
    errors.push(makeInvalid(path, formatQuantity(amount), 'must be greater than or equal to 0'));
  }
  if (isIntegerResourceName(name) && quantityToMilli(amount) % 1000n !== 0n) {
    errors.push(makeInvalid(path, formatQuantity(amount), 'must be an integer'));
  }
  return errors;
}

function validateHugePagesAmount(name: string, amount: Quantity, path: FieldPath): FieldError[] {
  if (!name.startsWith(hugePages)) return [];
  const size = readPageSize(name);
  const milli = quantityToMilli(amount);
  const divisible = size !== undefined && size > 0n && milli % (size * 1000n) === 0n && milli > 0n;
  const text = formatQuantity(amount);
  return divisible || milli === 0n
    ? []
    : [makeInvalid(path, text, `${text} is not positive integer multiple of ${name}`)];
}

function readPageSize(name: string): bigint | undefined {
  try {
    return quantityToMilli(readQuantity(name.slice(hugePages.length))) / 1000n;
  } catch {
    return undefined;
  }
}

/** Faults of a list of amounts. */
export function validateResourceList(list: unknown, path: FieldPath, checkName: NameCheck): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of listResourceNames(list as ResourceList)) {
    const amount = readUsage(list as ResourceList).get(name) ?? quantityFromInteger(0);
    errors.push(...checkName(name, path.key(name)));
    errors.push(...validateAmount(name, amount, path.key(name)));
    errors.push(...validateHugePagesAmount(name, amount, path.key(name)));
  }
  return errors;
}

function compareRequests(requests: Usage, limits: Usage, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of [...requests.keys()].sort()) {
    const request = requests.get(name) ?? quantityFromInteger(0);
    const limit = limits.get(name);
    if (limit === undefined) {
      if (!isOvercommitAllowed(name)) {
        errors.push(makeRequired(path.child('limits'), 'Limit must be set for non overcommitable resources'));
      }
      continue;
    }
    const order = compareQuantities(request, limit);
    const relation = !isOvercommitAllowed(name) && order !== 0 ? 'equal to' : order > 0 ? 'less than or equal to' : '';
    if (relation === '') continue;
    const detail = `must be ${relation} ${name} limit of ${formatQuantity(limit)}`;
    errors.push(makeInvalid(path.child('requests'), formatQuantity(request), detail));
  }
  return errors;
}

function validateClaims(requirements: unknown, podClaims: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, claim] of readItems(requirements, 'claims').entries()) {
    const name = readText(claim, 'name');
    const request = readText(claim, 'request');
    if (name === '') {
      errors.push(makeRequired(path.index(index), ''));
    } else {
      const key = request === '' ? name : `${name}/${request}`;
      for (const fault of request === '' ? [] : checkDns1123Label(request)) {
        errors.push(makeInvalid(path.index(index).child('request'), request, fault));
      }
      const overlaps = request === '' && [...seen].some((other) => other.startsWith(`${name}/`));
      if (seen.has(name) || seen.has(key) || overlaps) {
        errors.push(makeDuplicate(path.index(index), seen.has(name) || overlaps ? name : key));
      }
      seen.add(key);
    }
    if (!podClaims.has(name)) {
      const names = podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].sort().join(', ')}`;
      const detail = `must be one of the names in pod.spec.resourceClaims${names}`;
      if (name !== '') errors.push({ ...makeNotFound(path.index(index), name), detail });
    }
  }
  return errors;
}

function validateRequirements(
  requirements: unknown,
  podClaims: ReadonlySet<string>,
  path: FieldPath,
  checkName: NameCheck,
): FieldError[] {
  if (requirements === undefined) return [];
  const limits = readUsage(readObject(requirements, 'limits') as ResourceList | undefined);
  const requests = readUsage(readObject(requirements, 'requests') as ResourceList | undefined);
  const names = [...limits.keys(), ...requests.keys()];
  const errors = [
    ...validateResourceList(readObject(requirements, 'limits'), path.child('limits'), checkName),
    ...validateResourceList(readObject(requirements, 'requests'), path.child('requests'), checkName),
    ...compareRequests(requests, limits, path),
  ];
  if (names.some((name) => name.startsWith(hugePages)) && !names.some((name) => name === 'cpu' || name === 'memory')) {
    errors.push(makeForbidden(path, 'HugePages require cpu or memory'));
  }
  errors.push(...validateClaims(requirements, podClaims, path.child('claims')));
  return errors;
}

/** Faults of a container's `resources`. `podClaims` are the names in the pod's `resourceClaims`. */
export function validateContainerResources(
  requirements: unknown,
  podClaims: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  return validateRequirements(requirements, podClaims, path, validateContainerResourceName);
}

function checkPodResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (errors.length > 0 || isPodLevelResource(name)) return errors;
  return [makeNotSupported(path, name, ['cpu', hugePages, 'memory'])];
}

function validateConsistency(spec: unknown, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec } as PodResources;
  const own = readUsage(readObject(spec, 'resources', 'requests') as ResourceList | undefined);
  for (const [name, sum] of sumContainers(pod, readSpecified('requests'))) {
    const request = own.get(name);
    if (request !== undefined && compareQuantities(sum, request) > 0) {
      const detail = `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`;
      errors.push(makeInvalid(path.child('requests').key(name), formatQuantity(request), detail));
    }
  }
  const podLimits = readUsage(readObject(spec, 'resources', 'limits') as ResourceList | undefined);
  for (const [name, sum] of sumContainers(pod, readSpecified('limits'))) {
    const limit = name.startsWith(hugePages) ? podLimits.get(name) : undefined;
    if (limit !== undefined && compareQuantities(sum, limit) > 0) {
      const detail = `must be greater than or equal to aggregate container limits of ${formatQuantity(sum)}`;
      errors.push(makeInvalid(path.child('limits').key(name), formatQuantity(limit), detail));
    }
  }
  for (const [index, container] of readItems(spec, 'containers').entries()) {
    for (const [name, limit] of readUsage(readObject(container, 'resources', 'limits') as ResourceList | undefined)) {
      const podLimit = podLimits.get(name);
      if (podLimit === undefined || compareQuantities(limit, podLimit) <= 0) continue;
      const field = path.child('containers').index(index).key(name).child('limits');
      const detail = `must be less than or equal to pod limits of ${formatQuantity(podLimit)}`;
      errors.push(makeInvalid(field, formatQuantity(limit), detail));
    }
  }
  return errors;
}

/** Faults of what a pod asks for as a whole. `path` is that of the specification. */
export function validatePodResources(spec: unknown, podClaims: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const resources = readObject(spec, 'resources');
  if (resources === undefined) return [];
  const own = path.child('resources');
  if (readText(spec, 'os', 'name') === 'windows') return [makeForbidden(own, 'may not be set for a windows pod')];
  return [
    ...(resources['claims'] === undefined
      ? []
      : [makeForbidden(own.child('claims'), 'claims may not be set for Resources at pod-level')]),
    ...validateRequirements(resources, podClaims, own, checkPodResourceName),
    ...validateConsistency(spec, own),
  ];
}
