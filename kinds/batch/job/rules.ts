import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import {
  matchesLabelSelector,
  validateLabelSelector,
  type LabelSelector,
} from '../../../core/selectors/label-selector.ts';
import { checkDns1123Label } from '../../../core/validation/names.ts';
import { validateSelectorMatch } from '../../core/pod-spec/pod-template.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import {
  ensureObject,
  readField,
  readFlag,
  readNumber,
  readObject,
  readText,
  readTexts,
} from '../../workloads/read-field.ts';
import { validateImmutable, validateImmutableFields } from '../../workloads/validate-immutable.ts';
import { applyJobDefaults, applyJobSpecDefaults, validateJobSpec } from './job-spec.ts';

const path = FieldPath.root('spec');
const nameLabels = ['job-name', 'batch.kubernetes.io/job-name'];
const uidLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
const selectorLabel = 'batch.kubernetes.io/controller-uid';

function generateSelector(job: KubeObject): void {
  const spec = ensureObject(job, 'spec');
  if (readFlag(spec, 'manualSelector')) return;
  const labels = ensureObject(ensureObject(ensureObject(spec, 'template'), 'metadata'), 'labels');
  for (const label of nameLabels) labels[label] ??= job.metadata.name ?? '';
  for (const label of uidLabels) labels[label] ??= job.metadata.uid ?? '';
  const matchLabels = ensureObject(ensureObject(spec, 'selector'), 'matchLabels');
  matchLabels[selectorLabel] ??= job.metadata.uid ?? '';
  if (Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = labels as Record<string, string>;
}

/** Faults of labels and selector that the server was to make, where somebody wrote others. */
function validateGeneratedSelector(job: KubeObject): FieldError[] {
  const selector = readObject(job, 'spec', 'selector') as LabelSelector | undefined;
  if (readFlag(job, 'spec', 'manualSelector') || selector === undefined) return [];
  const own = path.child('template', 'metadata', 'labels');
  const labels = readTexts(job, 'spec', 'template', 'metadata', 'labels');
  const expected = Object.fromEntries([
    ...uidLabels.map((label) => [label, job.metadata.uid ?? '']),
    ...nameLabels.map((label) => [label, job.metadata.name ?? '']),
  ]) as Record<string, string>;
  const errors: FieldError[] = [];
  for (const label of ['controller-uid', 'job-name', selectorLabel, 'batch.kubernetes.io/job-name']) {
    const value = labels[label];
    if (value === undefined) errors.push(makeRequired(own.key(label), `must be '${expected[label]}'`));
    else if (value !== expected[label]) {
      errors.push(makeInvalid(own.key(label), labels, `must be '${expected[label]}'`));
    }
  }
  if (!matchesLabelSelector(selector, expected)) {
    errors.push(makeInvalid(path.child('selector'), selector, '`selector` not auto-generated'));
  }
  return errors;
}

function validateIndexedName(job: KubeObject): FieldError[] {
  const completions = readNumber(job, 'spec', 'completions') ?? 0;
  if (readText(job, 'spec', 'completionMode') !== 'Indexed' || completions <= 0) return [];
  const name = job.metadata.name ?? '';
  const hostname = `${name}-${completions - 1}`;
  if (checkDns1123Label(hostname).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [makeInvalid(FieldPath.root('metadata', 'name'), name, detail)];
}

function validate(job: KubeObject): FieldError[] {
  const spec = readObject(job, 'spec');
  const selector = readObject(spec, 'selector') as LabelSelector | undefined;
  return [
    ...validateGeneratedSelector(job),
    ...validateJobSpec(spec, path),
    ...(selector === undefined
      ? [makeRequired(path.child('selector'), '')]
      : [
          ...validateLabelSelector(selector, path.child('selector')),
          ...validateSelectorMatch(readObject(spec, 'template'), selector, path.child('template')),
        ]),
    ...validateIndexedName(job),
  ];
}

const schedulingFields = ['nodeSelector', 'tolerations', 'schedulingGates'];

/** The template without what may change before a suspended job first starts. */
function stripScheduling(template: JsonObject | undefined): JsonObject | undefined {
  const stripped = deepClone(template);
  const metadata = readObject(stripped, 'metadata');
  const spec = readObject(stripped, 'spec');
  for (const key of ['labels', 'annotations']) delete metadata?.[key];
  for (const key of schedulingFields) delete spec?.[key];
  const affinity = readObject(spec, 'affinity');
  delete affinity?.['nodeAffinity'];
  if (affinity !== undefined && Object.keys(affinity).length === 0) delete spec?.['affinity'];
  return stripped;
}

function validateTemplateChange(job: KubeObject, old: KubeObject): FieldError[] {
  const template = readObject(job, 'spec', 'template');
  const oldTemplate = readObject(old, 'spec', 'template');
  const isWaiting = readFlag(old, 'spec', 'suspend') && readField(old, 'status', 'startTime') === undefined;
  const strip = isWaiting ? stripScheduling : (value: JsonObject | undefined) => value;
  if (validateImmutable(strip(template), strip(oldTemplate), path).length === 0) return [];
  return [makeInvalid(path.child('template'), template, 'field is immutable')];
}

function validateCompletionsChange(job: KubeObject, old: KubeObject): FieldError[] {
  const completions = readNumber(job, 'spec', 'completions');
  const own = path.child('completions');
  const errors = validateImmutable(completions, readNumber(old, 'spec', 'completions'), own);
  if (readText(job, 'spec', 'completionMode') !== 'Indexed' || errors.length === 0) return errors;
  if (completions === undefined || completions === readNumber(job, 'spec', 'parallelism')) return [];
  return [makeInvalid(own, completions, 'can only be modified in tandem with spec.parallelism')];
}

const immutableFields = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'];

/** How jobs are written. */
export const jobRules: WorkloadRules = {
  dependentsByDefault: 'orphan',
  deletionWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  applyDefaults(job) {
    const spec = ensureObject(job, 'spec');
    const labels = readObject(spec, 'template', 'metadata', 'labels');
    if (labels !== undefined && Object.keys(job.metadata.labels ?? {}).length === 0) {
      // One map for both, as upstream has it: the labels that the server adds to the template show on the job too.
      job.metadata.labels = labels as Record<string, string>;
    }
    applyJobDefaults(spec);
    applyJobSpecDefaults(spec);
  },
  prepareForCreate: generateSelector,
  validate,
  validateChange: (job, old) => [
    ...validateCompletionsChange(job, old),
    ...validateImmutableFields(readObject(job, 'spec'), readObject(old, 'spec'), ['selector'], path),
    ...validateTemplateChange(job, old),
    ...validateImmutableFields(readObject(job, 'spec'), readObject(old, 'spec'), immutableFields, path),
  ],
  warnOnCreate(job) {
    const faults = checkDns1123Label(job.metadata.name ?? '');
    const advice = 'which can result in surprising behavior; a DNS label is recommended';
    if (faults.length === 0) return [];
    return [`metadata.name: this is used in Pod names and hostnames, ${advice}: [${faults.join(' ')}]`];
  },
};
