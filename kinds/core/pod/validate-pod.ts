import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { readItems, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { validateImageText } from '../pod-spec/validate-containers.ts';
import { validatePodSpec } from '../pod-spec/validate-pod-spec.ts';
import { validateAddedTolerations, validateRemovedGates } from '../pod-spec/validate-scheduling.ts';
import { formatDifference } from '../../workloads/format-difference.ts';

const specPath = FieldPath.root('spec');
const maxInt32 = 0x7fffffff;
const changeableFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** Faults of a pod by itself, new or not. */
export function validatePodAlone(pod: KubeObject): FieldError[] {
  const spec = readObject(pod, 'spec');
  const errors = validatePodSpec(spec, specPath, true);
  for (const key of ['containers', 'initContainers']) {
    for (const [index, container] of readItems(spec, key).entries()) {
      errors.push(...validateImageText(container, specPath.child(key).index(index)));
    }
  }
  return errors;
}

/** Faults of a new pod. */
export function validateNewPod(pod: KubeObject): FieldError[] {
  const errors = validatePodAlone(pod);
  if (readItems(pod, 'spec', 'ephemeralContainers').length > 0) {
    errors.push(makeForbidden(specPath.child('ephemeralContainers'), 'cannot be set on create'));
  }
  if (readText(pod, 'spec', 'nodeName') !== '' && readItems(pod, 'spec', 'schedulingGates').length > 0) {
    const detail = 'cannot be set until all schedulingGates have been cleared';
    errors.push(makeForbidden(specPath.child('nodeName'), detail));
  }
  return errors;
}

/** Faults of changed containers; `stop` when the lists cannot be compared any further. */
function validateContainerChanges(spec: unknown, old: unknown, key: string): { errors: FieldError[]; stop: boolean } {
  const path = specPath.child(key);
  const containers = readItems(spec, key);
  if (containers.length !== readItems(old, key).length) {
    return { errors: [makeForbidden(path, 'pod updates may not add or remove containers')], stop: true };
  }
  const errors = containers.flatMap((container, index) => [
    ...(readText(container, 'image') === '' ? [makeRequired(path.index(index).child('image'), '')] : []),
    ...validateImageText(container, path.index(index)),
  ]);
  return { errors, stop: false };
}

function validateDeadlineChange(spec: unknown, old: unknown): { errors: FieldError[]; stop: boolean } {
  const path = specPath.child('activeDeadlineSeconds');
  const seconds = readNumber(spec, 'activeDeadlineSeconds');
  const oldSeconds = readNumber(old, 'activeDeadlineSeconds');
  if (seconds === undefined) {
    if (oldSeconds === undefined) return { errors: [], stop: false };
    const detail = 'must not update from a positive integer to nil value';
    return { errors: [makeInvalid(path, null, detail)], stop: false };
  }
  if (seconds < 0 || seconds > maxInt32) {
    const detail = `must be between 0 and ${maxInt32}, inclusive`;
    return { errors: [makeInvalid(path, seconds, detail)], stop: true };
  }
  if (oldSeconds !== undefined && oldSeconds < seconds) {
    return { errors: [makeInvalid(path, seconds, 'must be less than or equal to previous value')], stop: true };
  }
  return { errors: [], stop: false };
}

function restore(spec: JsonObject, old: JsonObject, key: string): void {
  if (old[key] === undefined) delete spec[key];
  else spec[key] = deepClone(old[key]);
}

/** The new specification with every change taken back that is allowed. */
function undoAllowedChanges(spec: JsonObject, old: JsonObject): { spec: JsonObject; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const undone = deepClone(spec);
  for (const key of ['containers', 'initContainers']) {
    const before = readItems(old, key);
    for (const [index, container] of readItems(undone, key).entries()) restore(container, before[index] ?? {}, 'image');
  }
  for (const key of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) restore(undone, old, key);
  const oldGrace = readNumber(old, 'terminationGracePeriodSeconds');
  if (oldGrace !== undefined && oldGrace < 0 && readNumber(undone, 'terminationGracePeriodSeconds') === 1) {
    restore(undone, old, 'terminationGracePeriodSeconds');
  }
  if (readItems(old, 'schedulingGates').length > 0) {
    const before = readObject(old, 'nodeSelector') ?? {};
    const after = readObject(undone, 'nodeSelector') ?? {};
    if (Object.entries(before).some(([key, value]) => after[key] !== value)) {
      const detail = 'only additions are allowed (no mutations or deletions)';
      errors.push(makeInvalid(specPath.child('nodeSelector'), after, detail));
    }
    restore(undone, old, 'nodeSelector');
  }
  return { spec: undone, errors };
}

/** Faults of a changed pod: almost nothing of its specification may change. */
export function validatePodUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const spec = readObject(pod, 'spec') ?? {};
  const oldSpec = readObject(old, 'spec') ?? {};
  const errors = validatePodAlone(pod);
  for (const key of ['containers', 'initContainers']) {
    const changes = validateContainerChanges(spec, oldSpec, key);
    errors.push(...changes.errors);
    if (changes.stop) return errors;
  }
  const deadline = validateDeadlineChange(spec, oldSpec);
  errors.push(...deadline.errors);
  if (deadline.stop) return errors;
  errors.push(
    ...validateAddedTolerations(
      readItems(spec, 'tolerations'),
      readItems(oldSpec, 'tolerations'),
      specPath.child('tolerations'),
    ),
    ...validateRemovedGates(spec, oldSpec, specPath),
  );
  const undone = undoAllowedChanges(spec, oldSpec);
  errors.push(...undone.errors);
  if (deepEqual(undone.spec, oldSpec)) return errors;
  const detail = `pod updates may not change fields other than ${changeableFields.join(',')}`;
  return [...errors, makeForbidden(specPath, `${detail}\n${formatDifference(oldSpec, undone.spec)}`)];
}

/** Faults of a changed status: a node keeps its pods, and a pod its quality of service. */
export function validatePodStatusUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const qosClass = readText(pod, 'status', 'qosClass');
  if (qosClass !== readText(old, 'status', 'qosClass')) {
    errors.push(makeInvalid(FieldPath.root('status', 'qosClass'), qosClass, 'field is immutable'));
  }
  for (const [index, condition] of readItems(pod, 'status', 'conditions').entries()) {
    if (readText(condition, 'type') !== '') continue;
    errors.push(makeRequired(FieldPath.root('status', 'conditions').index(index).child('type'), ''));
  }
  return errors;
}
