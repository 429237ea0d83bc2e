import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { nameOf } from '../../workloads/row-cells.ts';
import { eventRules, eventsGroupEventRules } from './rules.ts';

const columns = [
  shownColumn('Last Seen'),
  shownColumn('Type'),
  shownColumn('Reason'),
  shownColumn('Object'),
  wideColumn('Subobject'),
  wideColumn('Source'),
  shownColumn('Message'),
  wideColumn('First Seen'),
  wideColumn('Count'),
  { ...nameColumn, priority: 1 },
];

/** How the two groups name the same facts of an event. */
interface EventFields {
  readonly about: string;
  readonly message: string;
  readonly source: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: string;
}

const coreFields: EventFields = {
  about: 'involvedObject',
  message: 'message',
  source: 'source',
  firstTimestamp: 'firstTimestamp',
  lastTimestamp: 'lastTimestamp',
  count: 'count',
};

const groupFields: EventFields = {
  about: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
};

function printEvent(event: KubeObject, fields: EventFields, now: number): (string | number)[] {
  const series = readObject(event, 'series');
  const ageAt = (key: string): string => formatAge(readText(event, key) || undefined, now);
  const firstSeen = ageAt(readText(event, fields.firstTimestamp) === '' ? 'eventTime' : fields.firstTimestamp);
  const lastSeen = readText(event, fields.lastTimestamp) === '' ? firstSeen : ageAt(fields.lastTimestamp);
  const kind = readText(event, fields.about, 'kind').toLowerCase();
  const name = readText(event, fields.about, 'name');
  const component = readText(event, fields.source, 'component') || readText(event, 'reportingComponent');
  const controller = component || readText(event, 'reportingController');
  const host = readText(event, fields.source, 'host') || readText(event, 'reportingInstance');
  return [
    series ? formatAge(readText(series, 'lastObservedTime') || undefined, now) : lastSeen,
    readText(event, 'type'),
    readText(event, 'reason'),
    name === '' ? kind : `${kind}/${name}`,
    readText(event, fields.about, 'fieldPath'),
    host === '' ? controller : `${controller}, ${host}`,
    readText(event, fields.message).trim(),
    firstSeen,
    series ? (readNumber(series, 'count') ?? 0) : readNumber(event, fields.count) || 1,
    nameOf(event),
  ];
}

function listSelectableFields(fields: EventFields): Record<string, (event: KubeObject) => string> {
  const about = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
  const prefix = fields === coreFields ? 'involvedObject' : 'regarding';
  const component = (event: KubeObject): string =>
    readText(event, 'reportingComponent') || readText(event, 'reportingController');
  return {
    ...Object.fromEntries(
      about.map((key) => [`${prefix}.${key}`, (event: KubeObject) => readText(event, fields.about, key)]),
    ),
    reason: (event) => readText(event, 'reason'),
    [fields === coreFields ? 'reportingComponent' : 'reportingController']: component,
    ...(fields === coreFields
      ? { source: (event: KubeObject) => readText(event, 'source', 'component') || component(event) }
      : {}),
    type: (event) => readText(event, 'type'),
  };
}

/** Event of the core group: something that happened to an object. */
export const eventKind: KindDefinition = defineWorkloadKind({
  kind: 'Event',
  group: '',
  plural: 'events',
  shortNames: ['ev'],
  columns,
  printRow: (event, now) => printEvent(event, coreFields, now),
  selectableFields: listSelectableFields(coreFields),
  rules: eventRules,
  description: 'Something that happened to an object.',
});

/** Event of the group `events.k8s.io`; stored apart from those of the core group. */
export const eventsGroupEventKind: KindDefinition = defineWorkloadKind({
  kind: 'Event',
  group: 'events.k8s.io',
  plural: 'events',
  shortNames: ['ev'],
  columns,
  printRow: (event, now) => printEvent(event, groupFields, now),
  selectableFields: listSelectableFields(groupFields),
  rules: eventsGroupEventRules,
  description: 'Something that happened to an object, as newer clients report it.',
});
