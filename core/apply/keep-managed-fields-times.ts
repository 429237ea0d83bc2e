import { deepEqual } from '../meta/deep.ts';
import type { KubeObject, ManagedFieldsEntry } from '../meta/kube-object.ts';
import { omitManagedFields } from './update-managed-fields.ts';

/**
 * The managedFields to store with `next` on an update: those of `live` when the two objects differ in nothing but times in
 * managedFields, so that a write without effect keeps its resourceVersion; else those of `next`.
 * Call it on update, patch and apply once the strategy has prepared and validated the object and its resourceVersion is that of
 * the stored one, before validating admission: normalising and defaulting may have undone a change.
 */
export function keepManagedFieldsTimes(live: KubeObject, next: KubeObject): ManagedFieldsEntry[] | undefined {
  const before = live.metadata.managedFields;
  const after = next.metadata.managedFields;
  if (before === undefined || after === undefined || before.length !== after.length) return after;
  if (after.every((entry, i) => entry.time === before[i]?.time)) return after;
  const isSame =
    after.every((entry, i) => deepEqual(omitTime(entry), omitTime(before[i]!))) &&
    deepEqual(omitManagedFields(live), omitManagedFields(next));
  return isSame ? before : after;
}

function omitTime(entry: ManagedFieldsEntry): ManagedFieldsEntry {
  return { ...entry, time: undefined };
}
