import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { parseTime } from '../../../core/time/time.ts';
import { formatDuration } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatContainers, formatSelectorAt, shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readItems, readNumber, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { jobRules } from './rules.ts';

function formatStatus(job: KubeObject): string {
  const isTrue = (type: string): boolean =>
    readItems(job, 'status', 'conditions').find((condition) => condition['type'] === type)?.['status'] === 'True';
  if (isTrue('Complete')) return 'Complete';
  if (isTrue('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(isTrue) ?? 'Running';
}

function formatCompletions(job: KubeObject): string {
  const succeeded = readNumber(job, 'status', 'succeeded') ?? 0;
  const completions = readNumber(job, 'spec', 'completions');
  const parallelism = readNumber(job, 'spec', 'parallelism') ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function formatRunTime(job: KubeObject, nowMillis: number): string {
  const start = parseTime(readText(job, 'status', 'startTime'));
  const end = parseTime(readText(job, 'status', 'completionTime')) ?? nowMillis;
  return start === undefined ? '' : formatDuration(end - start);
}

/** Job: pods that run to their end. */
export const jobKind: KindDefinition = defineWorkloadKind({
  kind: 'Job',
  group: 'batch',
  plural: 'jobs',
  categories: ['all'],
  columns: [
    nameColumn,
    shownColumn('Status'),
    shownColumn('Completions'),
    shownColumn('Duration'),
    ageColumn,
    wideColumn('Containers'),
    wideColumn('Images'),
    wideColumn('Selector'),
  ],
  printRow: (job, now) => [
    nameOf(job),
    formatStatus(job),
    formatCompletions(job),
    formatRunTime(job, now),
    ageOf(job, now),
    ...formatContainers(job, 'spec', 'template'),
    formatSelectorAt(job, 'spec', 'selector'),
  ],
  status: true,
  generationFields: ['spec'],
  selectableFields: { 'status.successful': (job) => String(readNumber(job, 'status', 'succeeded') ?? 0) },
  rules: jobRules,
  description: 'Pods that run to their end.',
});
