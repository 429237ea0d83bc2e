import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { LabelSelector } from '../../../core/selectors/label-selector.ts';
import { applyPodTemplateDefaults, validateReplicaTemplate } from '../../core/pod-spec/pod-template.ts';
import { validateNonnegative } from '../../core/pod-spec/validate-choice.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readField, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { validateImmutableFields } from '../../workloads/validate-immutable.ts';
import {
  readIntOrPercent,
  validateAtMostAll,
  validateControllerSelector,
  validateIntOrPercent,
  validateSelectedTemplate,
} from '../validate-rollout.ts';

const path = FieldPath.root('spec');

function applyDefaults(deployment: KubeObject): void {
  const spec = ensureObject(deployment, 'spec');
  fillField(spec, 'replicas', 1);
  fillField(spec, 'revisionHistoryLimit', 10);
  fillField(spec, 'progressDeadlineSeconds', 600);
  const strategy = ensureObject(spec, 'strategy');
  fillField(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    fillField(rolling, 'maxUnavailable', '25%');
    fillField(rolling, 'maxSurge', '25%');
  }
  applyPodTemplateDefaults(ensureObject(spec, 'template'));
}

function validateStrategy(spec: unknown): FieldError[] {
  const own = path.child('strategy');
  const type = readText(spec, 'strategy', 'type');
  const rolling = readObject(spec, 'strategy', 'rollingUpdate');
  const rollingPath = own.child('rollingUpdate');
  if (type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [makeForbidden(rollingPath, detail)];
  }
  if (type !== 'RollingUpdate') {
    return [makeNotSupported(own, { Type: type, RollingUpdate: rolling ?? null }, ['Recreate', 'RollingUpdate'])];
  }
  const unavailable = readField(rolling, 'maxUnavailable');
  const surge = readField(rolling, 'maxSurge');
  const errors = [
    ...validateIntOrPercent(unavailable, rollingPath.child('maxUnavailable')),
    ...validateIntOrPercent(surge, rollingPath.child('maxSurge')),
  ];
  if (readIntOrPercent(unavailable) === 0 && readIntOrPercent(surge) === 0) {
    const detail = 'may not be 0 when `maxSurge` is 0';
    errors.push(makeInvalid(rollingPath.child('maxUnavailable'), unavailable, detail));
  }
  return [...errors, ...validateAtMostAll(unavailable, rollingPath.child('maxUnavailable'))];
}

function validate(deployment: KubeObject): FieldError[] {
  const spec = readObject(deployment, 'spec');
  const selector = readObject(spec, 'selector') as LabelSelector | undefined;
  const template = readObject(spec, 'template');
  const deadline = readNumber(spec, 'progressDeadlineSeconds');
  const errors = [
    ...validateNonnegative(spec, 'replicas', path),
    ...validateControllerSelector(spec, 'deployment', path),
    ...validateSelectedTemplate(selector, path, 'invalid label selector', () =>
      validateReplicaTemplate(template, selector, 'ReplicaSet', path.child('template')),
    ),
    ...validateStrategy(spec),
    ...validateNonnegative(spec, 'minReadySeconds', path),
    ...validateNonnegative(spec, 'revisionHistoryLimit', path),
    ...validateNonnegative(spec, 'progressDeadlineSeconds', path),
  ];
  if (deadline !== undefined && deadline <= (readNumber(spec, 'minReadySeconds') ?? 0)) {
    const detail = 'must be greater than minReadySeconds';
    errors.push(makeInvalid(path.child('progressDeadlineSeconds'), deadline, detail));
  }
  return errors;
}

/** How deployments are written. */
export const deploymentRules: WorkloadRules = {
  applyDefaults,
  validate,
  validateChange: (deployment, old) =>
    validateImmutableFields(readObject(deployment, 'spec'), readObject(old, 'spec'), ['selector'], path),
};
