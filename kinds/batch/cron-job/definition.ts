import type { KindDefinition } from '../../kind-definition.ts';
import { formatAge } from '../../format-age.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import {
  formatContainers,
  formatOptional,
  formatSelectorAt,
  shownColumn,
  wideColumn,
} from '../../workloads/format-cells.ts';
import { readField, readList, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { cronJobRules } from './rules.ts';

function formatFlag(value: unknown): string {
  return value === true ? 'True' : value === false ? 'False' : '<unset>';
}

/** CronJob: jobs on a schedule. */
export const cronJobKind: KindDefinition = defineWorkloadKind({
  kind: 'CronJob',
  group: 'batch',
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  columns: [
    nameColumn,
    shownColumn('Schedule'),
    shownColumn('Timezone'),
    shownColumn('Suspend', 'boolean'),
    shownColumn('Active', 'integer'),
    shownColumn('Last Schedule'),
    ageColumn,
    wideColumn('Containers'),
    wideColumn('Images'),
    wideColumn('Selector'),
  ],
  printRow: (object, now) => {
    const last = readText(object, 'status', 'lastScheduleTime');
    return [
      nameOf(object),
      readText(object, 'spec', 'schedule'),
      formatOptional('<none>', object, 'spec', 'timeZone'),
      formatFlag(readField(object, 'spec', 'suspend')),
      readList(object, 'status', 'active').length,
      last === '' ? '<none>' : formatAge(last, now),
      ageOf(object, now),
      ...formatContainers(object, 'spec', 'jobTemplate', 'spec', 'template'),
      formatSelectorAt(object, 'spec', 'jobTemplate', 'spec', 'selector'),
    ];
  },
  status: true,
  generationFields: ['spec'],
  rules: cronJobRules,
  description: 'Jobs on a schedule.',
});
