import { formatTime, parseTime } from '../time/time.ts';
import type { ManagedFieldsEntry } from '../meta/kube-object.ts';
import { decodeFieldSet, encodeFieldSet, type FieldSet } from './field-set.ts';
import { compareBytes } from './path-element.ts';

/** What tells the entries of managedFields apart. `apiVersion` counts for updates only: whoever applies has one entry. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

/** One manager's record. Replaced, never changed. */
export interface ManagerRecord extends ManagerIdentity {
  readonly fields: FieldSet;
  /** RFC 3339, as stored; `undefined` when none was recorded. */
  readonly time: string | undefined;
  /** The stored entry that the record was read from and still equals; spares encoding it again. */
  readonly source?: ManagedFieldsEntry | undefined;
}

/** Records by `identifyManager`. */
export type ManagerRecords = Map<string, ManagerRecord>;

/** Key of a manager: equal for two writes exactly if they share an entry. Sorts as Kubernetes sorts managers in conflicts. */
export function identifyManager(identity: ManagerIdentity): string {
  const parts = [
    identity.manager === '' ? undefined : `"manager":${JSON.stringify(identity.manager)}`,
    `"operation":"${identity.operation}"`,
    identity.operation === 'Apply' ? undefined : `"apiVersion":${JSON.stringify(identity.apiVersion)}`,
    identity.subresource === '' ? undefined : `"subresource":${JSON.stringify(identity.subresource)}`,
  ];
  return `{${parts.filter((part) => part !== undefined).join(',')}}`;
}

/** Reads managedFields that are stored or that a client sent; a fault in Kubernetes' words when one entry cannot be read. */
export function decodeManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  origin: 'stored' | 'sent' = 'stored',
): ManagerRecords | { fault: string } {
  const records: ManagerRecords = new Map();
  for (const [i, entry] of (entries ?? []).entries()) {
    const record = decodeEntry(entry, i);
    if ('fault' in record) return record;
    // What a client sent need not be in canonical form, so it is always written anew.
    records.set(identifyManager(record), origin === 'sent' ? { ...record, source: undefined } : record);
  }
  return records;
}

function decodeEntry(entry: ManagedFieldsEntry, index: number): ManagerRecord | { fault: string } {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
    return { fault: 'operation must be `Apply` or `Update`' };
  }
  if (!entry.apiVersion) return { fault: 'apiVersion must not be empty' };
  if (!entry.fieldsType) return { fault: `missing fieldsType in managed fields entry ${index}` };
  if (entry.fieldsType !== 'FieldsV1') {
    return { fault: `invalid fieldsType ${JSON.stringify(entry.fieldsType)} in managed fields entry ${index}` };
  }
  const fields = decodeFieldSet(entry.fieldsV1);
  if ('fault' in fields) return { fault: `error decoding set: ${fields.fault}` };
  return {
    manager: entry.manager ?? '',
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    subresource: entry.subresource ?? '',
    fields,
    time: entry.time,
    source: entry,
  };
}

/** managedFields of the records, in Kubernetes' order; `undefined` when there are none. */
export function encodeManagedFields(records: ManagerRecords): ManagedFieldsEntry[] | undefined {
  if (records.size === 0) return undefined;
  return [...records.values()].sort(compareRecords).map(encodeRecord);
}

function encodeRecord(record: ManagerRecord): ManagedFieldsEntry {
  const { source } = record;
  const entry: ManagedFieldsEntry = {};
  if (record.manager !== '') entry.manager = record.manager;
  entry.operation = record.operation;
  entry.apiVersion = record.apiVersion;
  if (record.time !== undefined) entry.time = record.time;
  entry.fieldsType = 'FieldsV1';
  // A set that was only read keeps its object, by which the decoded form is found again.
  const isUnchanged = source?.fieldsV1 !== undefined && decodeFieldSet(source.fieldsV1) === record.fields;
  entry.fieldsV1 = isUnchanged ? source.fieldsV1! : encodeFieldSet(record.fields);
  if (record.subresource !== '') entry.subresource = record.subresource;
  return entry;
}

/** Orders by operation, time, manager, version and subresource. */
function compareRecords(a: ManagerRecord, b: ManagerRecord): number {
  return (
    compareBytes(a.operation, b.operation) ||
    readSeconds(a.time) - readSeconds(b.time) ||
    compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
  );
}

/** Whole seconds since the epoch; 0 for no time. */
export function readSeconds(time: string | undefined): number {
  const millis = time === undefined ? undefined : parseTime(time);
  return millis === undefined ? 0 : Math.floor(millis / 1000);
}

/** A moment as managedFields record it. */
export function formatEntryTime(nowMillis: number): string {
  return formatTime(nowMillis);
}

/** Fault of a record of managers in Kubernetes' words, such as after an admission plugin changed it; `undefined` when it is readable. */
export function checkManagedFields(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  const records = decodeManagedFields(entries);
  return records instanceof Map ? undefined : records.fault;
}
