import { checkDns1123Subdomain } from '../../../core/validation/names.ts';
import { canonicalizeTime } from '../../../core/time/time.ts';
import type { JsonValue } from '../../../core/meta/json.ts';
import { readFlag, readNumber, readText } from '../../workloads/read-field.ts';
import type { Checkpoint } from './schema.ts';
import { validateCheckpoint } from './validate.ts';

const maxPathLength = 4096;

/**
 * The checkpoint that an agent's record tells of, or why it is none. An agent is believed about its own node alone: `nodeName` is the node
 * that was asked, whatever the record says. `apiVersion` is that of the kind.
 */
export function readCheckpointRecord(
  record: JsonValue,
  { nodeName, apiVersion }: { readonly nodeName: string; readonly apiVersion: string },
): Checkpoint | { readonly fault: string } {
  const name = readText(record, 'name');
  const namespace = readText(record, 'namespace');
  for (const [field, text] of [
    ['name', name],
    ['namespace', namespace],
  ] as const) {
    if (text === '' || checkDns1123Subdomain(text).length > 0) return { fault: `${field} is no name` };
  }
  const sizeBytes = readNumber(record, 'sizeBytes') ?? -1;
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) return { fault: 'sizeBytes is no size' };
  const archive = readText(record, 'archive');
  if (!archive.startsWith('/') || archive.length > maxPathLength || hasControls(archive)) {
    return { fault: 'archive is no path' };
  }
  const startTime = canonicalizeTime(readText(record, 'startTime'));
  const completionTime = canonicalizeTime(readText(record, 'completionTime'));
  if (startTime === undefined || completionTime === undefined) return { fault: 'a time is none' };
  const podUID = readText(record, 'podUid');
  const checkpoint: Checkpoint = {
    apiVersion,
    kind: 'Checkpoint',
    metadata: { name, namespace, creationTimestamp: startTime },
    spec: {
      podName: readText(record, 'podName'),
      ...(podUID === '' ? {} : { podUID }),
      containerName: readText(record, 'containerName'),
      nodeName,
      ...(readFlag(record, 'pinned') ? { pinned: true } : {}),
    },
    status: { phase: 'Completed', archive, sizeBytes, startTime, completionTime },
  };
  const [fault] = validateCheckpoint(checkpoint);
  return fault === undefined ? checkpoint : { fault: `${fault.field} is not valid` };
}

function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x20 || text.charCodeAt(at) === 0x7f) return true;
  return false;
}
