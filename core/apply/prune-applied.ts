import type { JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import {
  emptyFieldSet,
  intersectFieldSets,
  isEmptyFieldSet,
  subtractFieldSet,
  uniteFieldSets,
  type FieldSet,
} from './field-set.ts';
import type { ManagerRecords } from './managed-fields.ts';
import { addNamedParents, removeItems } from './remove-items.ts';
import { toFieldSet } from './to-field-set.ts';

/**
 * `merged` without what the manager owned by its last configuration (`last`), no longer mentions and nobody else owns.
 * `records` hold everyone's fields, the manager's new ones (`owned`) included.
 */
export function pruneApplied(
  merged: JsonValue,
  records: ManagerRecords,
  owned: FieldSet,
  last: FieldSet | undefined,
  schema: StructuralSchema,
): JsonValue {
  if (last === undefined || isEmptyFieldSet(subtractFieldSet(last, owned))) return merged;
  const name = (set: FieldSet): FieldSet => addNamedParents(set, schema);
  let managed: FieldSet = emptyFieldSet;
  for (const record of records.values()) managed = uniteFieldSets(managed, record.fields);

  const mergedSet = name(toFieldSet(merged, schema));
  const bare = removeItems(merged, name(last), schema);
  const bareSet = name(toFieldSet(bare, schema));
  // An item that goes takes along what others own in it: that comes back.
  const restored = removeItems(merged, subtractFieldSet(mergedSet, uniteFieldSets(bareSet, name(managed))), schema);
  // What nobody ever owned (defaults, say) goes only together with an item that the manager owned.
  const restoredSet = name(toFieldSet(restored, schema));
  return removeItems(merged, intersectFieldSets(subtractFieldSet(mergedSet, restoredSet), name(last)), schema);
}
