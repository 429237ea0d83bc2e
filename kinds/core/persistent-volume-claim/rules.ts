import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden } from '../../../core/errors/make-field-error.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import {
  compareQuantities,
  quantityFromInteger,
  readQuantity,
  type Quantity,
} from '../../../core/quantity/quantity.ts';
import type { StatusRules, WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { formatDifference } from '../../workloads/format-difference.ts';
import { ensureObject, fillField, readObject, readText } from '../../workloads/read-field.ts';
import { validateImmutable } from '../../workloads/validate-immutable.ts';
import { applyClaimSpecDefaults, normalizeDataSources, validateClaimSpec } from './claim-spec.ts';

const path = FieldPath.root('spec');
const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

function readStorage(value: unknown, ...where: string[]): Quantity {
  const text = readText(value, ...where, 'storage');
  return text === '' ? quantityFromInteger(0) : readQuantity(text);
}

function validateChange(claim: KubeObject, old: KubeObject): FieldError[] {
  const after = deepClone(readObject(claim, 'spec') ?? {});
  const before = deepClone(readObject(old, 'spec') ?? {});
  const errors: FieldError[] = [];
  if (readText(before, 'volumeName') === '' && after['volumeName'] !== undefined) {
    before['volumeName'] = after['volumeName'];
  }
  const oldClass = old.metadata.annotations?.[classAnnotation];
  if ((claim.metadata.annotations?.[classAnnotation] ?? '') !== (oldClass ?? '')) {
    const detail = validateImmutable(
      claim.metadata.annotations?.[classAnnotation] ?? '',
      oldClass ?? '',
      FieldPath.root('metadata').child('annotations').key(classAnnotation),
    );
    errors.push(...detail);
  }
  // A class may be given later where there was none, or where only the old annotation named it.
  const newName = readText(after, 'storageClassName');
  if (before['storageClassName'] === undefined && newName !== '' && (oldClass ?? newName) === newName) {
    before['storageClassName'] = newName;
  }
  if (readText(claim, 'status', 'phase') === 'Bound') {
    const requests = readObject(after, 'resources', 'requests');
    const storage = readText(before, 'resources', 'requests', 'storage');
    if (requests !== undefined) requests['storage'] = storage;
    delete after['volumeAttributesClassName'];
    delete before['volumeAttributesClassName'];
  }
  if (!deepEqual(after, before)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(makeForbidden(path, `${detail}\n${formatDifference(before, after)}`));
  }
  const size = readStorage(claim, 'spec', 'resources', 'requests');
  const isLess = compareQuantities(size, readStorage(old, 'spec', 'resources', 'requests')) < 0;
  if (isLess && compareQuantities(size, readStorage(old, 'status', 'capacity')) <= 0) {
    const own = path.child('resources', 'requests', 'storage');
    errors.push(makeForbidden(own, 'field can not be less than status.capacity'));
  }
  const volumeMode = readObject(claim, 'spec')?.['volumeMode'];
  errors.push(...validateImmutable(volumeMode, readObject(old, 'spec')?.['volumeMode'], FieldPath.root('volumeMode')));
  return errors;
}

function fillPhase(claim: KubeObject): void {
  fillField(ensureObject(claim, 'status'), 'phase', 'Pending');
}

/** How claims are written. */
export const persistentVolumeClaimRules: WorkloadRules = {
  applyDefaults(claim) {
    applyClaimSpecDefaults(ensureObject(claim, 'spec'));
    fillPhase(claim);
  },
  fillStored: fillPhase,
  prepareForCreate(claim) {
    normalizeDataSources(ensureObject(claim, 'spec'));
  },
  prepareForUpdate(claim) {
    normalizeDataSources(ensureObject(claim, 'spec'));
  },
  validate: (claim) => validateClaimSpec(readObject(claim, 'spec'), path),
  validateChange,
};

/** How the status of claims is written. */
export const persistentVolumeClaimStatusRules: StatusRules = {};
