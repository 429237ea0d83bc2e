import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid } from '../../../core/errors/make-field-error.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { WriteStrategy } from '../../kind-definition.ts';
import { formatDifference } from '../../workloads/format-difference.ts';
import { ensureObject, readItems, readObject, readText } from '../../workloads/read-field.ts';
import { computeQosClass } from './compute-qos-class.ts';
import { hasPodLevelResources } from './pod-resources.ts';
import { validatePodAlone } from './validate-pod.ts';

const specPath = FieldPath.root('spec');

/** Makes `pod` the old one but for its version, so that a strategy can then take over what it lets through. */
function revertPod(pod: KubeObject, old: KubeObject): void {
  const { resourceVersion, managedFields } = pod.metadata;
  const reverted = deepClone(old);
  Object.assign(pod, { status: undefined }, reverted);
  if (resourceVersion !== undefined) pod.metadata.resourceVersion = resourceVersion;
  if (managedFields !== undefined) pod.metadata.managedFields = managedFields;
}

/** A changed specification is a new generation of the pod. */
function raiseGeneration(pod: KubeObject, old: KubeObject): void {
  if (deepEqual(readObject(pod, 'spec'), readObject(old, 'spec'))) return;
  pod.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function validateEphemeralChanges(pod: KubeObject, old: KubeObject): FieldError[] {
  const path = specPath.child('ephemeralContainers');
  const containers = readItems(pod, 'spec', 'ephemeralContainers');
  return readItems(old, 'spec', 'ephemeralContainers').flatMap((before) => {
    const name = readText(before, 'name');
    const after = containers.findLast((container) => container['name'] === name);
    const subject = `existing ephemeral containers ${JSON.stringify(name)}`;
    if (after === undefined) return [makeForbidden(path, `${subject} may not be removed\n`)];
    if (deepEqual(before, after)) return [];
    return [makeForbidden(path, `${subject} may not be changed\n${formatDifference(before, after)}`)];
  });
}

/** How `pods/ephemeralcontainers` is written: containers for debugging can be added, and nothing else changes. */
export const ephemeralContainersStrategy: WriteStrategy<KubeObject> = {
  prepareForUpdate(pod, old) {
    const containers = readItems(pod, 'spec', 'ephemeralContainers');
    revertPod(pod, old);
    const spec = ensureObject(pod, 'spec');
    if (containers.length > 0) spec['ephemeralContainers'] = containers;
    else delete spec['ephemeralContainers'];
    raiseGeneration(pod, old);
  },
  validateUpdate: (pod, old) => [...validatePodAlone(pod), ...validateEphemeralChanges(pod, old)],
};

/** The old containers with the new resources; the new ones as they are when they are not the same containers. */
function takeResources(containers: readonly JsonObject[], old: readonly JsonObject[]): JsonObject[] {
  const isAligned =
    containers.length === old.length &&
    containers.every((container, index) => container['name'] === old[index]?.['name']);
  if (!isAligned) return [...containers];
  return containers.map(({ resources, resizePolicy }, index) => ({ ...old[index], resources, resizePolicy }));
}

function validateOrder(pod: KubeObject, old: KubeObject): FieldError[] {
  return ['containers', 'initContainers'].flatMap((key) => {
    const path = specPath.child(key);
    const containers = readItems(pod, 'spec', key);
    const before = readItems(old, 'spec', key);
    if (containers.length !== before.length) {
      return [makeForbidden(path, `${key} may not be added or removed on resize`)];
    }
    return containers.flatMap((container, index) => {
      if (container['name'] === before[index]?.['name']) return [];
      return [makeForbidden(path.index(index).child('name'), `${key} may not be renamed or reordered on resize`)];
    });
  });
}

function validateContainerResize(
  container: JsonObject,
  before: JsonObject,
  key: string,
  path: FieldPath,
): FieldError[] {
  const isSidecar = key === 'containers' || before['restartPolicy'] === 'Always';
  const isSame = deepEqual(container['resources'] ?? {}, before['resources'] ?? {});
  if (!isSidecar) {
    return isSame ? [] : [makeForbidden(specPath, 'resources for non-sidecar init containers are immutable')];
  }
  const errors: FieldError[] = [];
  let isOtherChanged = false;
  for (const side of ['requests', 'limits']) {
    const amounts = readObject(container, 'resources', side) ?? {};
    const old = readObject(before, 'resources', side) ?? {};
    if (Object.keys(old).some((name) => amounts[name] === undefined)) {
      errors.push(makeForbidden(path.child('resources', side), `resource ${side} cannot be removed`));
    }
    const names = new Set([...Object.keys(amounts), ...Object.keys(old)]);
    isOtherChanged ||= [...names].some(
      (name) => name !== 'cpu' && name !== 'memory' && !deepEqual(amounts[name] ?? null, old[name] ?? null),
    );
  }
  if (isOtherChanged) {
    const whose = key === 'containers' ? '' : ' for sidecar containers';
    errors.push(makeForbidden(specPath, `only cpu and memory resources${whose} are mutable`));
  }
  return errors;
}

function validateResize(pod: KubeObject, old: KubeObject): FieldError[] {
  const none = FieldPath.empty.key('');
  if ([pod, old].some((object) => hasPodLevelResources(object, 'requests', 'limits'))) {
    return [makeForbidden(none, 'pods with pod-level resources cannot be resized')];
  }
  if (readText(old, 'spec', 'os', 'name') === 'windows') {
    return [makeForbidden(none, 'windows pods cannot be resized')];
  }
  const errors = validatePodAlone(pod);
  const qosClass = readText(old, 'status', 'qosClass') || computeQosClass(old);
  if (qosClass !== computeQosClass(pod)) {
    const detail = 'Pod QOS Class may not change as a result of resizing';
    errors.push(makeInvalid(specPath, readText(pod, 'status', 'qosClass'), detail));
  }
  const order = validateOrder(pod, old);
  if (order.length > 0) return [...errors, ...order];
  for (const key of ['initContainers', 'containers']) {
    const before = readItems(old, 'spec', key);
    for (const [index, container] of readItems(pod, 'spec', key).entries()) {
      errors.push(...validateContainerResize(container, before[index] ?? {}, key, specPath.child(key).index(index)));
    }
  }
  return errors;
}

/** How `pods/resize` is written: what containers ask for of cpu and memory, and nothing else, changes. */
export const resizeStrategy: WriteStrategy<KubeObject> = {
  prepareForUpdate(pod, old) {
    const lists = ['containers', 'initContainers'].map(
      (key) => [key, takeResources(readItems(pod, 'spec', key), readItems(old, 'spec', key))] as const,
    );
    revertPod(pod, old);
    const spec = ensureObject(pod, 'spec');
    for (const [key, containers] of lists) {
      if (containers.length > 0) spec[key] = containers;
      else delete spec[key];
    }
    raiseGeneration(pod, old);
  },
  validateUpdate: validateResize,
};
