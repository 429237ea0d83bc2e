import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { formatQuantity, readQuantity, signOfQuantity } from '../../../core/quantity/quantity.ts';
import { validateLabelSelector, type LabelSelector } from '../../../core/selectors/label-selector.ts';
import { checkDns1123Subdomain } from '../../../core/validation/names.ts';
import { fillField, readField, readList, readTextList, readObject, readText } from '../../workloads/read-field.ts';
import { makeInvalids, validateOptionalChoice, validatePresent } from '../pod-spec/validate-choice.ts';
import { roundResourceList, type ResourceList } from '../resource-lists.ts';

/** Access modes, in the order that errors list them. */
const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Fills the defaults of a claim's specification, in place. */
export function applyClaimSpecDefaults(spec: JsonObject): void {
  fillField(spec, 'volumeMode', 'Filesystem');
  for (const key of ['dataSource', 'dataSourceRef']) {
    const source = readObject(spec, key);
    if (source !== undefined && source['apiGroup'] === undefined) source['apiGroup'] = null;
  }
  for (const side of ['limits', 'requests']) {
    roundResourceList(readObject(spec, 'resources', side) as ResourceList | undefined);
  }
}

/** Whether a source is of the two sorts that the older field takes; others are ignored there. */
function isOldSource(source: JsonObject | undefined): boolean {
  const identity = `${readText(source, 'apiGroup')}/${readText(source, 'kind')}`;
  return identity === '/PersistentVolumeClaim' || identity === 'snapshot.storage.k8s.io/VolumeSnapshot';
}

/** A source is said twice: the newer field takes what the older one says, and the other way round where both can. */
export function normalizeDataSources(spec: JsonObject): void {
  if (!isOldSource(readObject(spec, 'dataSource'))) delete spec['dataSource'];
  const source = readObject(spec, 'dataSource');
  const reference = readObject(spec, 'dataSourceRef');
  if (source !== undefined && reference === undefined) spec['dataSourceRef'] = { ...source };
  else if (reference !== undefined && source === undefined && readText(reference, 'namespace') === '') {
    const { namespace: _, ...rest } = reference;
    spec['dataSource'] = rest;
  }
}

/** Faults of a list of access modes. */
export function validateAccessModes(spec: unknown, path: FieldPath): FieldError[] {
  const modes = readTextList(spec, 'accessModes');
  const own = path.child('accessModes');
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => makeNotSupported(own, mode, accessModes));
  if (modes.includes('ReadWriteOncePod') && new Set(modes).size > 1) {
    errors.push(makeForbidden(own, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

/** Faults of a claim's specification. */
export function validateClaimSpec(spec: unknown, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (readList(spec, 'accessModes').length === 0) {
    errors.push(makeRequired(path.child('accessModes'), 'at least 1 access mode is required'));
  }
  const selector = readObject(spec, 'selector') as LabelSelector | undefined;
  if (selector !== undefined) errors.push(...validateLabelSelector(selector, path.child('selector')));
  errors.push(...validateAccessModes(spec, path));
  const storage = readText(spec, 'resources', 'requests', 'storage');
  if (storage === '') {
    errors.push(makeRequired(path.child('resources').key('storage'), ''));
  } else if (signOfQuantity(readQuantity(storage)) <= 0) {
    const own = path.child('resources').key('storage');
    errors.push(makeInvalid(own, formatQuantity(readQuantity(storage)), 'must be greater than zero'));
  }
  const className = readText(spec, 'storageClassName');
  if (className !== '') {
    errors.push(...makeInvalids(path.child('storageClassName'), className, checkDns1123Subdomain(className)));
  }
  errors.push(...validateOptionalChoice(spec, 'volumeMode', ['Block', 'Filesystem'], path));
  for (const key of ['dataSource', 'dataSourceRef']) {
    const source = readObject(spec, key);
    if (source === undefined) continue;
    const own = path.child(key);
    errors.push(...validatePresent(source, 'name', own), ...validatePresent(source, 'kind', own));
    const group = readText(source, 'apiGroup');
    if (group === '' && readText(source, 'kind') !== 'PersistentVolumeClaim') {
      const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
      errors.push(makeInvalid(own, readField(source, 'kind') ?? '', detail));
    }
  }
  return errors;
}
