import type { KubeObject, OwnerReference } from '../../../core/meta/kube-object.ts';

const REQUEST_FORMAT =
  '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ';
const ADMISSION_FORMAT =
  '.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ';

/** The same text for references that are the same. */
function formatReference({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);
}

/** Drops owner references that repeat an earlier one, in place, and warns of them. */
export function dropDuplicateOwners(object: KubeObject, isAfterAdmission: boolean, warn: (text: string) => void): void {
  const references = object.metadata.ownerReferences;
  if (references === undefined || references.length < 2) return;
  const kept: OwnerReference[] = [];
  const known = new Set<string>();
  const duplicates: string[] = [];
  for (const reference of references) {
    const text = formatReference(reference);
    if (known.has(text)) duplicates.push(reference.uid);
    else kept.push(reference);
    known.add(text);
  }
  if (duplicates.length === 0) return;
  object.metadata.ownerReferences = kept;
  warn((isAfterAdmission ? ADMISSION_FORMAT : REQUEST_FORMAT) + duplicates.join(', '));
}
