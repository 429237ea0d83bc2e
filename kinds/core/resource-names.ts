import { makeInvalid } from '../../core/errors/make-field-error.ts';
import type { FieldError } from '../../core/errors/field-error.ts';
import type { FieldPath } from '../../core/errors/field-path.ts';
import { checkQualifiedName } from '../../core/validation/names.ts';

const HUGE_PAGES_PREFIX = 'hugepages-';
const REQUESTS_PREFIX = 'requests.';
const NATIVE_DOMAIN = 'kubernetes.io/';

/** Resources that are counts of objects. */
export const objectCountResources: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

/** Resources that a container may ask for, huge pages and extended resources aside. */
export const standardContainerResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Resources that a quota knows by itself, huge pages aside. */
export const standardQuotaResources: ReadonlySet<string> = new Set([
  ...objectCountResources,
  ...standardContainerResources,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);

function isQuotaHugePagesName(name: string): boolean {
  return name.startsWith(HUGE_PAGES_PREFIX) || name.startsWith(`${REQUESTS_PREFIX}${HUGE_PAGES_PREFIX}`);
}

/** Whether a quota knows the resource by itself: compute, storage, huge pages, and the counts of the standard objects. */
export function isStandardQuotaResourceName(name: string): boolean {
  return standardQuotaResources.has(name) || isQuotaHugePagesName(name);
}

/** Whether a name without a slash is a resource at all. */
function isStandardResourceName(name: string): boolean {
  return name === 'storage' || isStandardQuotaResourceName(name);
}

/** Whether the resource belongs to Kubernetes itself: without a prefix, or under `kubernetes.io/`. */
export function isNativeResourceName(name: string): boolean {
  return !name.includes('/') || name.includes(NATIVE_DOMAIN);
}

/** Whether the resource is a vendor's, such as `example.com/gpu`. */
export function isExtendedResourceName(name: string): boolean {
  if (isNativeResourceName(name) || name.startsWith(REQUESTS_PREFIX)) return false;
  return checkQualifiedName(`${REQUESTS_PREFIX}${name}`).length === 0;
}

/** Whether amounts of the resource are whole numbers: counts of objects, and extended resources. */
export function isIntegerResourceName(name: string): boolean {
  return objectCountResources.has(name) || isExtendedResourceName(name);
}

/** Faults of the name of any resource. */
export function validateResourceName(name: string, path: FieldPath): FieldError[] {
  const faults = checkQualifiedName(name);
  if (faults.length > 0) return faults.map((fault) => makeInvalid(path, name, fault));
  if (!name.includes('/') && !isStandardResourceName(name)) {
    return [makeInvalid(path, name, 'must be a standard resource type or fully qualified')];
  }
  return [];
}

/** Faults of the name of a resource that a container may ask for. */
export function validateContainerResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes('/')) {
    if (!standardContainerResources.has(name) && !name.startsWith(HUGE_PAGES_PREFIX)) {
      errors.push(makeInvalid(path, name, 'must be a standard resource for containers'));
    }
  } else if (!isNativeResourceName(name) && !isExtendedResourceName(name)) {
    errors.push(makeInvalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

/** Faults of the name of a resource that a quota may limit. */
export function validateQuotaResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes('/') && !isStandardQuotaResourceName(name)) {
    errors.push(makeInvalid(path, name, 'must be a standard resource for quota'));
  }
  return errors;
}
