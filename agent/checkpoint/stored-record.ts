import type { CheckpointRecord } from './checkpoint-record.ts';

/** A record as it is kept beside its archive. */
export interface StoredRecord extends CheckpointRecord {
  /** Since when the pod is known to be gone from the node; RFC 3339. Absent while it is there. */
  readonly podGoneTime?: string;
}

const texts = [
  'name',
  'namespace',
  'podName',
  'podUid',
  'containerName',
  'containerId',
  'nodeName',
  'archive',
  'startTime',
  'completionTime',
] as const;

/** The record without what only the agent goes by. */
export function describeRecord(stored: StoredRecord): CheckpointRecord {
  const { podGoneTime: _podGoneTime, ...record } = stored;
  return record;
}

/** The record that a file's text holds; `undefined` when it is none. */
export function parseRecord(text: string): StoredRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as Record<string, unknown>;
  const isComplete =
    texts.every((field) => typeof record[field] === 'string') &&
    Number.isSafeInteger(record.sizeBytes) &&
    typeof record.pinned === 'boolean' &&
    [record.startTime, record.completionTime, record.podGoneTime ?? record.startTime].every(
      (time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)),
    );
  return isComplete ? (record as unknown as StoredRecord) : undefined;
}
