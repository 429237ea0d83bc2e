import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { applyPodTemplateDefaults, validatePodTemplate } from '../../core/pod-spec/pod-template.ts';
import { validateNonnegative } from '../../core/pod-spec/validate-choice.ts';
import { ensureObject, fillField, readItems, readNumber, readObject, readText } from '../../workloads/read-field.ts';

const maxInt32 = 0x7fffffff;
const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** Fills the defaults that only a Job has, not the pattern of jobs in a CronJob; in place. */
export function applyJobDefaults(spec: JsonObject): void {
  if (readNumber(spec, 'completions') === undefined && readNumber(spec, 'parallelism') === undefined) {
    spec['completions'] = 1;
  }
  fillField(spec, 'parallelism', 1);
  fillField(spec, 'backoffLimit', readNumber(spec, 'backoffLimitPerIndex') === undefined ? 6 : maxInt32);
  fillField(spec, 'completionMode', 'NonIndexed');
  fillField(spec, 'suspend', false);
  const hasPolicy = readObject(spec, 'podFailurePolicy') !== undefined;
  fillField(spec, 'podReplacementPolicy', hasPolicy ? 'Failed' : 'TerminatingOrFailed');
  fillField(spec, 'manualSelector', false);
}

/** Fills the defaults of jobs and of patterns of jobs, in place. */
export function applyJobSpecDefaults(spec: JsonObject): void {
  for (const rule of readItems(spec, 'podFailurePolicy', 'rules')) {
    for (const pattern of readItems(rule, 'onPodConditions')) fillField(pattern, 'status', 'True');
  }
  applyPodTemplateDefaults(ensureObject(spec, 'template'));
}

function validateCompletionMode(spec: unknown, path: FieldPath): FieldError[] {
  const mode = readText(spec, 'completionMode');
  const modes = ['NonIndexed', 'Indexed'];
  const errors: FieldError[] = [];
  if (mode !== '' && !modes.includes(mode)) errors.push(makeNotSupported(path.child('completionMode'), mode, modes));
  if (mode === 'Indexed') {
    const parallelism = readNumber(spec, 'parallelism') ?? 0;
    if (readNumber(spec, 'completions') === undefined) {
      errors.push(makeRequired(path.child('completions'), 'when completion mode is Indexed'));
    }
    if (parallelism > 100_000) {
      const detail = 'must be less than or equal to 100000 when completion mode is Indexed';
      errors.push(makeInvalid(path.child('parallelism'), parallelism, detail));
    }
  } else if (mode === '' || mode === 'NonIndexed') {
    for (const key of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
      const value = readNumber(spec, key);
      if (value !== undefined) errors.push(makeInvalid(path.child(key), value, 'requires indexed completion mode'));
    }
    const policy = readObject(spec, 'successPolicy');
    if (policy !== undefined) {
      errors.push(makeInvalid(path.child('successPolicy'), policy, 'requires indexed completion mode'));
    }
  }
  return errors;
}

function validateRestartPolicy(spec: unknown, path: FieldPath): FieldError[] {
  const own = path.child('template', 'spec', 'restartPolicy');
  const policy = readText(spec, 'template', 'spec', 'restartPolicy');
  const hasFailurePolicy = readObject(spec, 'podFailurePolicy') !== undefined;
  if (policy === 'Always' || policy === '') return [makeRequired(own, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [makeNotSupported(own, policy, ['OnFailure', 'Never'])];
  if (hasFailurePolicy && policy !== 'Never') {
    return [makeInvalid(own, policy, 'only "Never" is supported when podFailurePolicy is specified')];
  }
  return [];
}

/** Faults of what jobs and patterns of jobs share: everything but the selector. */
export function validateJobSpec(spec: unknown, path: FieldPath): FieldError[] {
  const errors = counts.flatMap((key) => validateNonnegative(spec, key, path));
  if (readNumber(spec, 'maxFailedIndexes') !== undefined && readNumber(spec, 'backoffLimitPerIndex') === undefined) {
    errors.push(makeRequired(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  }
  errors.push(...validateCompletionMode(spec, path));
  const replacement = readText(spec, 'podReplacementPolicy');
  const replacements =
    readObject(spec, 'podFailurePolicy') === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  if (replacement !== '' && !replacements.includes(replacement)) {
    errors.push(makeNotSupported(path.child('podReplacementPolicy'), replacement, replacements));
  }
  return [
    ...errors,
    ...validatePodTemplate(readObject(spec, 'template'), path.child('template')),
    ...validateRestartPolicy(spec, path),
  ];
}
