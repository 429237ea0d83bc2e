import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { validateChoice, validateNonnegative } from '../../core/pod-spec/validate-choice.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readField, readFlag, readObject, readText } from '../../workloads/read-field.ts';
import { applyJobSpecDefaults, validateJobSpec } from '../job/job-spec.ts';
import { describeScheduleFault } from './describe-schedule-fault.ts';

const path = FieldPath.root('spec');
const maxNameLength = 52;

function validateTimeZone(spec: unknown): FieldError[] {
  const zone = readField(spec, 'timeZone');
  const own = path.child('timeZone');
  if (typeof zone !== 'string') return [];
  if (zone === '') return [makeInvalid(own, zone, 'timeZone must be nil or non-empty string')];
  const isWellFormed = zone
    .split('/')
    .every((part) => /^[A-Za-z.\-_0-9+]{1,14}$/.test(part) && !part.startsWith('-') && part !== '.' && part !== '..');
  if (!isWellFormed) return [makeInvalid(own, zone, `unknown time zone ${zone}`)];
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [makeInvalid(own, zone, detail)];
  }
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
    return [];
  } catch {
    return [makeInvalid(own, zone, `unknown time zone ${zone}`)];
  }
}

function validateSchedule(spec: unknown, old: unknown): FieldError[] {
  const schedule = readText(spec, 'schedule');
  const own = path.child('schedule');
  if (schedule === '') return [makeRequired(own, '')];
  const fault = describeScheduleFault(schedule);
  const errors = fault === undefined ? [] : [makeInvalid(own, schedule, fault)];
  if (!schedule.includes('TZ')) return errors;
  const hadZone = readText(old, 'schedule').includes('TZ');
  if (!hadZone) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    errors.push(makeInvalid(own, schedule, detail));
  } else if (readField(spec, 'timeZone') !== undefined) {
    errors.push(makeInvalid(own, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
  return errors;
}

function validateSpec(cronJob: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = readObject(cronJob, 'spec');
  const template = path.child('jobTemplate', 'spec');
  const jobSpec = readObject(spec, 'jobTemplate', 'spec');
  const selector = readField(jobSpec, 'selector');
  const isSameZone = old !== undefined && readText(old, 'spec', 'timeZone') === readText(spec, 'timeZone');
  return [
    ...validateSchedule(spec, readObject(old, 'spec')),
    ...validateNonnegative(spec, 'startingDeadlineSeconds', path),
    ...(isSameZone ? [] : validateTimeZone(spec)),
    ...validateChoice(spec, 'concurrencyPolicy', ['Allow', 'Forbid', 'Replace'], path),
    ...validateJobSpec(jobSpec, template),
    ...(selector === undefined
      ? []
      : [makeInvalid(template.child('selector'), selector, '`selector` will be auto-generated')]),
    ...(readFlag(jobSpec, 'manualSelector')
      ? [makeNotSupported(template.child('manualSelector'), true, ['nil', 'false'])]
      : []),
    ...validateNonnegative(spec, 'successfulJobsHistoryLimit', path),
    ...validateNonnegative(spec, 'failedJobsHistoryLimit', path),
  ];
}

/** How cron jobs are written. */
export const cronJobRules: WorkloadRules = {
  applyDefaults(cronJob) {
    const spec = ensureObject(cronJob, 'spec');
    fillField(spec, 'concurrencyPolicy', 'Allow');
    fillField(spec, 'suspend', false);
    fillField(spec, 'successfulJobsHistoryLimit', 3);
    fillField(spec, 'failedJobsHistoryLimit', 1);
    applyJobSpecDefaults(ensureObject(ensureObject(spec, 'jobTemplate'), 'spec'));
  },
  validate: (cronJob) => validateSpec(cronJob, undefined),
  validateNew(cronJob) {
    const name = cronJob.metadata.name ?? '';
    if (name.length <= maxNameLength) return [];
    return [makeInvalid(FieldPath.root('metadata', 'name'), name, `must be no more than ${maxNameLength} characters`)];
  },
  validateUpdate: validateSpec,
};
