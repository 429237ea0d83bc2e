import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { matchesLabelSelector, type LabelSelector } from '../../../core/selectors/label-selector.ts';
import { validateAnnotations, validateLabels } from '../../../core/validation/object-meta.ts';
import {
  ensureObject,
  readField,
  readItems,
  readNumber,
  readObject,
  readText,
  readTexts,
} from '../../workloads/read-field.ts';
import { applyPodSpecDefaults } from './apply-pod-spec-defaults.ts';
import { validatePodSpec } from './validate-pod-spec.ts';

/** Fills the defaults of a pod template, in place. */
export function applyPodTemplateDefaults(template: JsonObject | undefined): void {
  if (template !== undefined) applyPodSpecDefaults(ensureObject(template, 'spec'));
}

/** Faults of a pod template. */
export function validatePodTemplate(template: unknown, path: FieldPath): FieldError[] {
  const ephemeral = readItems(template, 'spec', 'ephemeralContainers').length > 0;
  return [
    ...validateLabels(readTexts(template, 'metadata', 'labels'), path.child('labels')),
    ...validateAnnotations(readTexts(template, 'metadata', 'annotations'), path.child('annotations')),
    ...validatePodSpec(readObject(template, 'spec'), path.child('spec'), false),
    ...(ephemeral
      ? [makeForbidden(path.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}

/** Faults of a template whose labels the controller's selector does not find. */
export function validateSelectorMatch(
  template: unknown,
  selector: LabelSelector | undefined,
  path: FieldPath,
): FieldError[] {
  if (matchesLabelSelector(selector, readTexts(template, 'metadata', 'labels'))) return [];
  const labels = readField(template, 'metadata', 'labels') ?? null;
  return [makeInvalid(path.child('metadata', 'labels'), labels, '`selector` does not match template `labels`')];
}

/** Faults of a template whose pods do not restart always, or end by themselves; `kind` is the controller's. */
export function validateEndlessTemplate(template: unknown, kind: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const restartPolicy = readText(template, 'spec', 'restartPolicy');
  if (restartPolicy !== 'Always') {
    errors.push(makeNotSupported(path.child('spec', 'restartPolicy'), restartPolicy, ['Always']));
  }
  if (readNumber(template, 'spec', 'activeDeadlineSeconds') !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(makeForbidden(path.child('spec', 'activeDeadlineSeconds'), detail));
  }
  return errors;
}

/** Faults of the template of a controller of equal pods. */
export function validateReplicaTemplate(
  template: unknown,
  selector: LabelSelector | undefined,
  kind: string,
  path: FieldPath,
): FieldError[] {
  if (template === undefined) return [makeRequired(path, '')];
  return [
    ...validateSelectorMatch(template, selector, path),
    ...validatePodTemplate(template, path),
    ...validateEndlessTemplate(template, kind, path),
  ];
}
