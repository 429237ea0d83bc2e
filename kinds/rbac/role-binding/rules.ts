import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { checkDns1123Subdomain, checkPathSegmentName } from '../../../core/validation/names.ts';
import { makeInvalids } from '../../core/pod-spec/validate-choice.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readItems, readObject, readText } from '../../workloads/read-field.ts';

const group = 'rbac.authorization.k8s.io';
const path = FieldPath.root('roleRef');

function applyDefaults(binding: KubeObject): void {
  fillField(ensureObject(binding, 'roleRef'), 'apiGroup', group);
  for (const subject of readItems(binding, 'subjects')) {
    if (subject['kind'] === 'User' || subject['kind'] === 'Group') fillField(subject, 'apiGroup', group);
  }
}

function validateSubject(subject: unknown, namespaced: boolean, own: FieldPath): FieldError[] {
  const name = readText(subject, 'name');
  const kind = readText(subject, 'kind');
  const apiGroup = readText(subject, 'apiGroup');
  const errors = name === '' ? [makeRequired(own.child('name'), '')] : [];
  if (kind === 'ServiceAccount') {
    if (name !== '') errors.push(...makeInvalids(own.child('name'), name, checkDns1123Subdomain(name)));
    if (apiGroup !== '') errors.push(makeNotSupported(own.child('apiGroup'), apiGroup, ['']));
    if (!namespaced && readText(subject, 'namespace') === '') {
      errors.push(makeRequired(own.child('namespace'), ''));
    }
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== group) errors.push(makeNotSupported(own.child('apiGroup'), apiGroup, [group]));
  } else {
    errors.push(makeNotSupported(own.child('kind'), kind, ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}

function validateBinding(binding: KubeObject, kinds: readonly string[], namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const apiGroup = readText(binding, 'roleRef', 'apiGroup');
  const kind = readText(binding, 'roleRef', 'kind');
  const name = readText(binding, 'roleRef', 'name');
  if (apiGroup !== group) errors.push(makeNotSupported(path.child('apiGroup'), apiGroup, [group]));
  if (!kinds.includes(kind)) errors.push(makeNotSupported(path.child('kind'), kind, kinds));
  if (name === '') errors.push(makeRequired(path.child('name'), ''));
  else errors.push(...makeInvalids(path.child('name'), name, checkPathSegmentName(name, false)));
  for (const [index, subject] of readItems(binding, 'subjects').entries()) {
    errors.push(...validateSubject(subject, namespaced, FieldPath.root('subjects').index(index)));
  }
  return errors;
}

function validateChange(binding: KubeObject, old: KubeObject): FieldError[] {
  const role = readObject(binding, 'roleRef');
  if (deepEqual(role, readObject(old, 'roleRef'))) return [];
  const { apiGroup, kind, name } = role ?? {};
  const value = { APIGroup: apiGroup ?? '', Kind: kind ?? '', Name: name ?? '' };
  return [makeInvalid(path, value, 'cannot change roleRef')];
}

const common = { validateName: checkPathSegmentName, allowCreateOnUpdate: true, applyDefaults, validateChange };

/** How role bindings are written. */
export const roleBindingRules: WorkloadRules = {
  ...common,
  validate: (binding) => validateBinding(binding, ['Role', 'ClusterRole'], true),
};

/** How cluster role bindings are written. */
export const clusterRoleBindingRules: WorkloadRules = {
  ...common,
  validate: (binding) => validateBinding(binding, ['ClusterRole'], false),
};
