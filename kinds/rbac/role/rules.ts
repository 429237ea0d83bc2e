import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { validateLabelSelector, type LabelSelector } from '../../../core/selectors/label-selector.ts';
import { checkPathSegmentName } from '../../../core/validation/names.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { readItems, readList, readObject } from '../../workloads/read-field.ts';

function validateRule(rule: unknown, namespaced: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const urls = readList(rule, 'nonResourceURLs');
  const isEmpty = (key: string): boolean => readList(rule, key).length === 0;
  if (isEmpty('verbs')) errors.push(makeRequired(path.child('verbs'), 'verbs must contain at least one value'));
  if (urls.length > 0) {
    const own = path.child('nonResourceURLs');
    if (namespaced) errors.push(makeInvalid(own, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (!['apiGroups', 'resources', 'resourceNames'].every(isEmpty)) {
      errors.push(makeInvalid(own, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (isEmpty('apiGroups')) {
    errors.push(makeRequired(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  }
  if (isEmpty('resources')) {
    errors.push(makeRequired(path.child('resources'), 'resource rules must supply at least one resource'));
  }
  return errors;
}

function validateRules(role: KubeObject, namespaced: boolean): FieldError[] {
  return readItems(role, 'rules').flatMap((rule, index) =>
    validateRule(rule, namespaced, FieldPath.root('rules').index(index)),
  );
}

function validateAggregation(role: KubeObject): FieldError[] {
  if (readObject(role, 'aggregationRule') === undefined) return [];
  const path = FieldPath.root('aggregationRule', 'clusterRoleSelectors');
  const selectors = readItems(role, 'aggregationRule', 'clusterRoleSelectors');
  if (selectors.length === 0) {
    return [makeRequired(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) =>
    validateLabelSelector(selector as unknown as LabelSelector, path.index(index)),
  );
}

/** How roles are written. */
export const roleRules: WorkloadRules = {
  validateName: checkPathSegmentName,
  allowCreateOnUpdate: true,
  validate: (role) => validateRules(role, true),
};

/** How cluster roles are written. */
export const clusterRoleRules: WorkloadRules = {
  validateName: checkPathSegmentName,
  allowCreateOnUpdate: true,
  validate: (role) => [...validateRules(role, false), ...validateAggregation(role)],
};
