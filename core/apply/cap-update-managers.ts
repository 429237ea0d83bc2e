import { uniteFieldSets } from './field-set.ts';
import { identifyManager, readSeconds, type ManagerIdentity, type ManagerRecords } from './managed-fields.ts';
import { compareBytes } from './path-element.ts';

const MAX_UPDATE_MANAGERS = 10;
const OLD_UPDATES_MANAGER = 'ancient-changes';

/**
 * Merges the oldest records of updates into one of `ancient-changes` for each version until ten are left. The oldest of a
 * version is merged only once a second one of that version is.
 */
export function capUpdateManagers(records: ManagerRecords): ManagerRecords {
  const updaters = [...records].filter(([, record]) => record.operation === 'Update');
  if (updaters.length <= MAX_UPDATE_MANAGERS) return records;
  updaters.sort(([aKey, a], [bKey, b]) => readSeconds(a.time) - readSeconds(b.time) || compareBytes(aKey, bKey));

  const capped: ManagerRecords = new Map(records);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [key, record] of updaters) {
    if (count <= MAX_UPDATE_MANAGERS) break;
    const first = firstOfVersion.get(record.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(record.apiVersion, key);
      continue;
    }
    const identity: ManagerIdentity = {
      manager: OLD_UPDATES_MANAGER,
      operation: 'Update',
      apiVersion: record.apiVersion,
      subresource: '',
    };
    const bucket = identifyManager(identity);
    if (!capped.has(bucket)) {
      const oldest = capped.get(first)!;
      capped.delete(first);
      capped.set(bucket, { ...identity, fields: oldest.fields, time: oldest.time });
    }
    const fields = uniteFieldSets(record.fields, capped.get(bucket)!.fields);
    capped.delete(key);
    // The younger time counts: it is that of the last change in the bucket.
    capped.set(bucket, { ...identity, fields, time: record.time });
    count--;
  }
  return capped;
}
