import type { FieldError } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { makeForbidden, makeInvalid, makeRequired, makeTooLong } from '../errors/make-field-error.ts';
import { quoteGo } from '../errors/quote-go.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../meta/kube-object.ts';
import { validateFieldManager } from './request-options.ts';
import { checkLabelName, checkLabelValue, checkQualifiedName, checkSubdomainName, countBytes } from './names.ts';

/** A kind's rule for names: Kubernetes' texts, empty when fine; `prefix` is true for a generateName. */
export type NameCheck = (name: string, prefix: boolean) => string[];

/** What validateObjectMeta must know of the kind. */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** Absent means a DNS-1123 subdomain. */
  readonly validateName?: NameCheck;
  /** Whether a finalizer may be a plain name that Kubernetes does not define; absent means false. */
  readonly allowsPlainFinalizers?: boolean;
}

const MAX_ANNOTATIONS_BYTES = 256 * 1024;
const MAX_SUBRESOURCE_BYTES = 256;
const IMMUTABLE = 'field is immutable';

/** Faults of the key of a label. */
export function validateLabelKey(key: string, path: FieldPath): FieldError[] {
  return checkQualifiedName(key).map((fault) => makeInvalid(path, key, fault));
}

/** Faults of a map of labels: keys and values, all reported at the map's path. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...validateLabelKey(key, path),
    ...checkLabelValue(value).map((fault) => makeInvalid(path, value, fault)),
  ]);
}

/** Faults of a map of annotations: keys, and a total size above 256 KiB. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key]) =>
    checkQualifiedName(key.toLowerCase()).map((fault) => makeInvalid(path, key, fault)),
  );
  const bytes = entries.reduce((sum, [key, value]) => sum + countBytes(key) + countBytes(value), 0);
  if (bytes > MAX_ANNOTATIONS_BYTES) errors.push(makeTooLong(path, '', MAX_ANNOTATIONS_BYTES));
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const slashes = reference.apiVersion.split('/').length - 1;
  const version = slashes > 1 ? '' : (reference.apiVersion.split('/').at(-1) ?? '');
  if (version === '') {
    errors.push(makeInvalid(path.child('apiVersion'), reference.apiVersion, 'version must not be empty'));
  }
  for (const field of ['kind', 'name', 'uid'] as const) {
    if (reference[field] === '') errors.push(makeInvalid(path.child(field), '', 'must not be empty'));
  }
  if (reference.apiVersion === 'v1' && reference.kind === 'Event') {
    errors.push(makeInvalid(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

/** Faults of owner references; at most one may be the controller. */
function validateOwnerReferences(references: readonly OwnerReference[] | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const reference of references ?? []) {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const current = `${reference.kind}/${reference.name}`;
    if (controller === '') {
      controller = current;
    } else {
      const found = `Found "true" in references for ${controller} and ${current}`;
      errors.push(makeInvalid(path, references, `Only one reference can have Controller set to true. ${found}`));
    }
  }
  return errors;
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Faults of finalizers that are neither Kubernetes' own nor prefixed with a domain, where the kind does not allow them; `path` is that of metadata. */
export function validatePlainFinalizers(
  { finalizers = [] }: ObjectMeta,
  { allowsPlainFinalizers }: ObjectMetaRules,
  path: FieldPath,
): FieldError[] {
  if (allowsPlainFinalizers === true) return [];
  return finalizers.flatMap((name, i) =>
    name.includes('/') || standardFinalizers.has(name)
      ? []
      : [
          makeInvalid(
            path.child('finalizers').index(i),
            name,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  );
}

/** Faults of finalizers: each a qualified name, `orphan` and `foregroundDeletion` never together. */
function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const list = finalizers ?? [];
  const errors = list.flatMap((name) => checkQualifiedName(name).map((fault) => makeInvalid(path, name, fault)));
  if (list.includes('orphan') && list.includes('foregroundDeletion')) {
    errors.push(makeInvalid(path, list, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

/** Faults of managedFields that a client sent. */
function validateManagedFields(entries: readonly ManagedFieldsEntry[] | undefined, path: FieldPath): FieldError[] {
  return (entries ?? []).flatMap((entry, i) => {
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(makeInvalid(at.child('operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
    }
    const fieldsType = entry.fieldsType ?? '';
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(makeInvalid(at.child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
    }
    errors.push(...validateFieldManager(entry.manager ?? '', at.child('manager')));
    if (countBytes(entry.subresource ?? '') > MAX_SUBRESOURCE_BYTES) {
      errors.push(makeTooLong(at.child('subresource'), '', MAX_SUBRESOURCE_BYTES));
    }
    return errors;
  });
}

function validateNamespace(meta: ObjectMeta, namespaced: boolean, path: FieldPath): FieldError[] {
  const namespace = meta.namespace ?? '';
  if (!namespaced) return namespace === '' ? [] : [makeForbidden(path, 'not allowed on this type')];
  if (namespace === '') return [makeRequired(path, '')];
  return checkLabelName(namespace, false).map((fault) => makeInvalid(path, namespace, fault));
}

/** Every fault of the metadata of an object to create, its generated name being final. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules, path: FieldPath): FieldError[] {
  const checkName = rules.validateName ?? checkSubdomainName;
  const { generateName = '', name = '', generation = 0 } = meta;
  const errors: FieldError[] = [];
  if (generateName !== '') {
    const at = path.child('generateName');
    errors.push(...checkName(generateName, true).map((fault) => makeInvalid(at, generateName, fault)));
  }
  if (name === '') {
    errors.push(makeRequired(path.child('name'), 'name or generateName is required'));
  } else {
    errors.push(...checkName(name, false).map((fault) => makeInvalid(path.child('name'), name, fault)));
  }
  errors.push(...validateNamespace(meta, rules.namespaced, path.child('namespace')));
  if (generation < 0) {
    errors.push(makeInvalid(path.child('generation'), generation, 'must be greater than or equal to 0'));
  }
  errors.push(
    ...validateLabels(meta.labels, path.child('labels')),
    ...validateAnnotations(meta.annotations, path.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    ...validateFinalizers(meta.finalizers, path.child('finalizers')),
    ...validateManagedFields(meta.managedFields, path.child('managedFields')),
  );
  return [...errors, ...validatePlainFinalizers(meta, rules, path)];
}

function validateImmutable<T>(value: T, old: T, empty: T, path: FieldPath): FieldError[] {
  return (value ?? empty) === (old ?? empty) ? [] : [makeInvalid(path, value ?? empty, IMMUTABLE)];
}

function validateNoNewFinalizers(meta: ObjectMeta, old: ObjectMeta, path: FieldPath): FieldError[] {
  const before = new Set(old.finalizers);
  const added = [...new Set(meta.finalizers)].filter((name) => !before.has(name)).toSorted();
  if (added.length === 0) return [];
  const shown = `[]string{${added.map(quoteGo).join(', ')}}`;
  const rule = 'no new finalizers can be added if the object is being deleted';
  return [makeForbidden(path, `${rule}, found new finalizers ${shown}`)];
}

/** Every fault of the metadata of an update: what may not change, and what is malformed. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    errors.push(...validateNoNewFinalizers(meta, old, path.child('finalizers')));
  }
  if ((meta.resourceVersion ?? '') === '') {
    errors.push(makeInvalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  }
  const { generation = 0 } = meta;
  if (generation < (old.generation ?? 0)) {
    errors.push(makeInvalid(path.child('generation'), generation, 'must not be decremented'));
  }
  errors.push(
    ...validateImmutable(meta.name, old.name, '', path.child('name')),
    ...validateImmutable(meta.namespace, old.namespace, '', path.child('namespace')),
    ...validateImmutable(meta.uid, old.uid, '', path.child('uid')),
    ...validateImmutable(meta.creationTimestamp, old.creationTimestamp, null, path.child('creationTimestamp')),
    ...validateImmutable<string | null | undefined>(
      meta.deletionTimestamp,
      old.deletionTimestamp,
      null,
      path.child('deletionTimestamp'),
    ),
    ...validateImmutable<number | null | undefined>(
      meta.deletionGracePeriodSeconds,
      old.deletionGracePeriodSeconds,
      null,
      path.child('deletionGracePeriodSeconds'),
    ),
    ...validateLabels(meta.labels, path.child('labels')),
    ...validateAnnotations(meta.annotations, path.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    ...validateManagedFields(meta.managedFields, path.child('managedFields')),
  );
  return errors;
}
