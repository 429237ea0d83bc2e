import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { isJsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatQuantity, readQuantity, signOfQuantity } from '../../../core/quantity/quantity.ts';
import { formatTime } from '../../../core/time/time.ts';
import type { StatusRules, WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readField, readList, readObject, readText } from '../../workloads/read-field.ts';
import { validateImmutable } from '../../workloads/validate-immutable.ts';
import { validateAccessModes } from '../persistent-volume-claim/claim-spec.ts';
import { validateOptionalChoice } from '../pod-spec/validate-choice.ts';
import { roundResourceList, type ResourceList } from '../resource-lists.ts';

const path = FieldPath.root('spec');
const ordinaryFields = new Set([
  ...['accessModes', 'capacity', 'claimRef', 'mountOptions', 'nodeAffinity', 'persistentVolumeReclaimPolicy'],
  ...['storageClassName', 'volumeMode', 'volumeAttributesClassName'],
]);

function listSources(volume: KubeObject): string[] {
  const spec = readObject(volume, 'spec') ?? {};
  return Object.keys(spec).filter((key) => !ordinaryFields.has(key) && isJsonObject(spec[key]));
}

function validate(volume: KubeObject): FieldError[] {
  const spec = readObject(volume, 'spec');
  const errors: FieldError[] = [];
  if (readList(spec, 'accessModes').length === 0) errors.push(makeRequired(path.child('accessModes'), ''));
  errors.push(...validateAccessModes(spec, path));
  const capacity = Object.keys(readObject(spec, 'capacity') ?? {});
  if (capacity.length === 0) errors.push(makeRequired(path.child('capacity'), ''));
  if (capacity.length !== 1 || capacity[0] !== 'storage') {
    errors.push(makeNotSupported(path.child('capacity'), readField(spec, 'capacity') ?? null, ['storage']));
  }
  for (const name of capacity.sort()) {
    const amount = readQuantity(readText(spec, 'capacity', name));
    const own = path.child('capacity').key(name);
    if (signOfQuantity(amount) <= 0) errors.push(makeInvalid(own, formatQuantity(amount), 'must be greater than zero'));
  }
  const policies = ['Delete', 'Recycle', 'Retain'];
  errors.push(...validateOptionalChoice(spec, 'persistentVolumeReclaimPolicy', policies, path));
  const sources = listSources(volume);
  if (sources.length === 0) errors.push(makeRequired(path, 'must specify a volume type'));
  for (const source of sources.slice(1)) {
    errors.push(makeForbidden(path.child(source), 'may not specify more than 1 volume type'));
  }
  return [...errors, ...validateOptionalChoice(spec, 'volumeMode', ['Block', 'Filesystem'], path)];
}

function validateChange(volume: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const changed = new Set([...listSources(volume), ...listSources(old)]);
  for (const source of changed) {
    if (validateImmutable(readField(volume, 'spec', source), readField(old, 'spec', source), path).length === 0)
      continue;
    errors.push(
      makeForbidden(path.child('persistentvolumesource'), 'spec.persistentvolumesource is immutable after creation'),
    );
    break;
  }
  const volumeMode = readField(volume, 'spec', 'volumeMode');
  return [
    ...errors,
    ...validateImmutable(volumeMode, readField(old, 'spec', 'volumeMode'), FieldPath.root('volumeMode')),
  ];
}

/** How volumes are written. */
export const persistentVolumeRules: WorkloadRules = {
  applyDefaults(volume) {
    const spec = ensureObject(volume, 'spec');
    fillField(ensureObject(volume, 'status'), 'phase', 'Pending');
    fillField(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    fillField(spec, 'volumeMode', 'Filesystem');
    roundResourceList(readObject(spec, 'capacity') as ResourceList | undefined);
    const hostPath = readObject(spec, 'hostPath');
    if (hostPath !== undefined && hostPath['type'] === undefined) hostPath['type'] = '';
  },
  prepareForCreate(volume, context) {
    const lastPhaseTransitionTime = formatTime(context.nowMillis);
    Object.assign(volume, { status: { phase: 'Pending', lastPhaseTransitionTime } });
  },
  validate,
  validateChange,
};

/** How the status of volumes is written. */
export const persistentVolumeStatusRules: StatusRules = {
  prepare(volume, old, context) {
    if (readText(volume, 'status', 'phase') === readText(old, 'status', 'phase')) return;
    const status = ensureObject(volume, 'status');
    const isStale =
      status['lastPhaseTransitionTime'] === undefined ||
      status['lastPhaseTransitionTime'] === readField(old, 'status', 'lastPhaseTransitionTime');
    if (isStale) status['lastPhaseTransitionTime'] = formatTime(context.nowMillis);
  },
};
