import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { validateLabelSelector, type LabelSelector } from '../../../core/selectors/label-selector.ts';
import {
  applyPodTemplateDefaults,
  validateEndlessTemplate,
  validatePodTemplate,
  validateSelectorMatch,
} from '../../core/pod-spec/pod-template.ts';
import { validateNonnegative } from '../../core/pod-spec/validate-choice.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readField, readObject, readText } from '../../workloads/read-field.ts';
import { validateImmutableFields } from '../../workloads/validate-immutable.ts';
import { isEmptySelector, readIntOrPercent, validateAtMostAll, validateIntOrPercent } from '../validate-rollout.ts';

const path = FieldPath.root('spec');
const generationAnnotation = 'deprecated.daemonset.template.generation';

function applyDefaults(daemonSet: KubeObject): void {
  const spec = ensureObject(daemonSet, 'spec');
  const strategy = ensureObject(spec, 'updateStrategy');
  fillField(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    fillField(rolling, 'maxUnavailable', 1);
    fillField(rolling, 'maxSurge', 0);
  }
  fillField(spec, 'revisionHistoryLimit', 10);
  applyPodTemplateDefaults(ensureObject(spec, 'template'));
  // Kubernetes writes it whenever it reads one, so that whoever writes the object owns the annotation.
  fillField(ensureObject(daemonSet.metadata, 'annotations'), generationAnnotation, '0');
}

/** The template's own generation, which lives on in an annotation. */
function writeTemplateGeneration(daemonSet: KubeObject, generation: number): void {
  const annotations = ensureObject(daemonSet.metadata, 'annotations');
  annotations[generationAnnotation] = String(generation);
}

function validateStrategy(spec: unknown): FieldError[] {
  const own = path.child('updateStrategy');
  const type = readText(spec, 'updateStrategy', 'type');
  const rolling = readObject(spec, 'updateStrategy', 'rollingUpdate');
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    return [makeNotSupported(own, { Type: type, RollingUpdate: rolling ?? null }, ['RollingUpdate', 'OnDelete'])];
  }
  const rollingPath = own.child('rollingUpdate');
  const unavailable = readField(rolling, 'maxUnavailable');
  const surge = readField(rolling, 'maxSurge');
  const errors = [
    ...validateIntOrPercent(unavailable, rollingPath.child('maxUnavailable')),
    ...validateIntOrPercent(surge, rollingPath.child('maxSurge')),
    ...validateAtMostAll(unavailable, rollingPath.child('maxUnavailable')),
    ...validateAtMostAll(surge, rollingPath.child('maxSurge')),
  ];
  const hasUnavailable = readIntOrPercent(unavailable) !== 0;
  const hasSurge = readIntOrPercent(surge) !== 0;
  if (hasUnavailable && hasSurge) {
    const detail = 'may not be set when maxUnavailable is non-zero';
    errors.push(makeInvalid(rollingPath.child('maxSurge'), surge, detail));
  } else if (!hasUnavailable && !hasSurge) {
    errors.push(makeRequired(rollingPath.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}

function validate(daemonSet: KubeObject): FieldError[] {
  const spec = readObject(daemonSet, 'spec');
  const selector = readObject(spec, 'selector') as LabelSelector | undefined;
  const template = readObject(spec, 'template');
  const own = path.child('template');
  const selectorErrors = selector === undefined ? [] : validateLabelSelector(selector, path.child('selector'));
  return [
    ...selectorErrors,
    ...(selectorErrors.length > 0 ? [] : validateSelectorMatch(template, selector, own)),
    ...(selector !== undefined && isEmptySelector(selector)
      ? [makeInvalid(path.child('selector'), selector, 'empty selector is invalid for daemonset')]
      : []),
    ...validatePodTemplate(template, own),
    ...validateEndlessTemplate(template, 'DaemonSet', own),
    ...validateNonnegative(spec, 'minReadySeconds', path),
    ...validateStrategy(spec),
    ...validateNonnegative(spec, 'revisionHistoryLimit', path),
  ];
}

/** How daemon sets are written. */
export const daemonSetRules: WorkloadRules = {
  applyDefaults,
  prepareForCreate(daemonSet) {
    writeTemplateGeneration(daemonSet, 1);
  },
  prepareForUpdate(daemonSet, old) {
    const before = Number(old.metadata.annotations?.[generationAnnotation] ?? 0);
    const isSame = validateImmutableFields(readObject(daemonSet, 'spec'), readObject(old, 'spec'), ['template'], path);
    writeTemplateGeneration(daemonSet, isSame.length === 0 ? before : before + 1);
  },
  validate,
  validateChange: (daemonSet, old) =>
    validateImmutableFields(readObject(daemonSet, 'spec'), readObject(old, 'spec'), ['selector'], path),
};
