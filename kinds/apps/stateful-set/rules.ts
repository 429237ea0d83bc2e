import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { LabelSelector } from '../../../core/selectors/label-selector.ts';
import { checkDns1123Label, checkLabelName } from '../../../core/validation/names.ts';
import {
  applyPodTemplateDefaults,
  validateEndlessTemplate,
  validatePodTemplate,
  validateSelectorMatch,
} from '../../core/pod-spec/pod-template.ts';
import { makeInvalids, validateChoice, validateNonnegative } from '../../core/pod-spec/validate-choice.ts';
import { applyClaimSpecDefaults, validateClaimSpec } from '../../core/persistent-volume-claim/claim-spec.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readItems, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { validateControllerSelector, validateSelectedTemplate } from '../validate-rollout.ts';

const path = FieldPath.root('spec');
const changeableFields = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function applyDefaults(set: KubeObject): void {
  const spec = ensureObject(set, 'spec');
  fillField(spec, 'podManagementPolicy', 'OrderedReady');
  const strategy = ensureObject(spec, 'updateStrategy');
  if (readText(strategy, 'type') === '') {
    strategy['type'] = 'RollingUpdate';
    ensureObject(strategy, 'rollingUpdate');
  }
  const rolling = readObject(strategy, 'rollingUpdate');
  if (strategy['type'] === 'RollingUpdate' && rolling !== undefined) fillField(rolling, 'partition', 0);
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
  fillField(retention, 'whenDeleted', 'Retain');
  fillField(retention, 'whenScaled', 'Retain');
  fillField(spec, 'replicas', 1);
  fillField(spec, 'revisionHistoryLimit', 10);
  for (const claim of readItems(spec, 'volumeClaimTemplates')) {
    // Templates are whole claims: they carry the name of their kind and a first status.
    fillField(claim, 'apiVersion', 'v1');
    fillField(claim, 'kind', 'PersistentVolumeClaim');
    applyClaimSpecDefaults(ensureObject(claim, 'spec'));
    fillField(ensureObject(claim, 'status'), 'phase', 'Pending');
  }
  applyPodTemplateDefaults(ensureObject(spec, 'template'));
}

function validateStrategy(spec: unknown): FieldError[] {
  const own = path.child('updateStrategy');
  const rolling = readObject(spec, 'updateStrategy', 'rollingUpdate');
  switch (readText(spec, 'updateStrategy', 'type')) {
    case '':
      return [makeRequired(own, '')];
    case 'OnDelete': {
      const detail = "only allowed for updateStrategy 'RollingUpdate'";
      return rolling === undefined ? [] : [makeInvalid(own.child('rollingUpdate'), rolling, detail)];
    }
    case 'RollingUpdate':
      return validateNonnegative(rolling, 'partition', own.child('rollingUpdate'));
    default: {
      const shown = { Type: readText(spec, 'updateStrategy', 'type'), RollingUpdate: rolling ?? null };
      return [makeInvalid(own, shown, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}

/** The template as its pods will be: with the volumes of the claims, and names that the controller gives. */
function completeTemplate(spec: unknown): JsonObject | undefined {
  const template = readObject(spec, 'template');
  const claims = readItems(spec, 'volumeClaimTemplates').map((claim) => readText(claim, 'metadata', 'name'));
  if (template === undefined) return undefined;
  const completed = deepClone(template);
  const podSpec = ensureObject(completed, 'spec');
  delete podSpec['subdomain'];
  delete podSpec['hostname'];
  if (claims.length > 0) {
    const own = claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    const others = readItems(podSpec, 'volumes').filter((volume) => !claims.includes(readText(volume, 'name')));
    podSpec['volumes'] = [...own, ...others];
  }
  return completed;
}

function validateSpec(set: KubeObject, isNew: boolean): FieldError[] {
  const spec = readObject(set, 'spec');
  const selector = readObject(spec, 'selector') as LabelSelector | undefined;
  const template = completeTemplate(spec);
  const policy = readText(spec, 'podManagementPolicy');
  const errors: FieldError[] = [];
  if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    errors.push(makeInvalid(path.child('podManagementPolicy'), policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  errors.push(...validateStrategy(spec));
  const retention = path.child('persistentVolumeClaimRetentionPolicy');
  for (const key of ['whenDeleted', 'whenScaled']) {
    const choices = ['Retain', 'Delete'];
    errors.push(...validateChoice(readObject(spec, 'persistentVolumeClaimRetentionPolicy'), key, choices, retention));
  }
  if (isNew) {
    for (const [index, claim] of readItems(spec, 'volumeClaimTemplates').entries()) {
      const own = path.child('volumeClaimTemplates').index(index).child('spec');
      errors.push(...validateClaimSpec(readObject(claim, 'spec'), own));
    }
  }
  errors.push(...validateNonnegative(spec, 'replicas', path), ...validateNonnegative(spec, 'minReadySeconds', path));
  const start = readNumber(spec, 'ordinals', 'start') ?? 0;
  if (start < 0) {
    errors.push(makeInvalid(path.child('ordinals.start'), start, 'must be greater than or equal to 0'));
  }
  const serviceName = readText(spec, 'serviceName');
  if (isNew && serviceName !== '') {
    errors.push(...makeInvalids(path.child('serviceName'), serviceName, checkDns1123Label(serviceName)));
  }
  errors.push(...validateControllerSelector(spec, 'statefulset', path));
  const own = path.child('template');
  const validateTemplate = (): FieldError[] => [
    ...validateSelectorMatch(template, selector, own),
    ...validatePodTemplate(template, own),
    ...validateEndlessTemplate(template, 'StatefulSet', own),
  ];
  errors.push(...validateSelectedTemplate(selector, path, '', validateTemplate));
  return errors;
}

function validateChange(set: KubeObject, old: KubeObject): FieldError[] {
  const strip = (object: KubeObject): JsonObject => {
    const fields = Object.entries(readObject(object, 'spec') ?? {});
    return Object.fromEntries(fields.filter(([key]) => !changeableFields.includes(key)));
  };
  if (deepEqual(strip(set), strip(old))) return [];
  const detail =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return [makeForbidden(path, detail)];
}

/** How stateful sets are written. */
export const statefulSetRules: WorkloadRules = {
  applyDefaults,
  validate: (set) => validateSpec(set, true),
  validateUpdate: (set, old) => [...validateSpec(set, false), ...validateChange(set, old)],
  validateName: checkLabelName,
};
