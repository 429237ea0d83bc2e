import { describeJsonType } from '../decode/name-go-type.ts';
import { deepClone, deepEqual } from '../meta/deep.ts';
import { getOwn, isJsonObject, setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { discardNulls, isDirective, removeDirectives } from './clean-patch-value.ts';
import { formatGoText, formatGoValue, nameGoValueType } from './format-go-value.ts';
import {
  findItemKind,
  identifyItem,
  indexItems,
  orderMergedList,
  requireList,
  requireMergeKey,
  requireObject,
} from './order-list.ts';
import { capturePatchFault, PatchFault, type PatchResult } from './patch-fault.ts';
import { guideList, guideObject } from './patch-schema.ts';

const orderPrefix = '$setElementOrder';
const deletePrefix = '$deleteFromPrimitiveList';
const retainKeysKey = '$retainKeys';
const patchKey = '$patch';

/**
 * Applies a strategic merge patch, guided by the schema's `patchStrategy` and `patchMergeKey`, with all of its directives.
 * Inputs are not changed. Faults are worded as Kubernetes words them.
 */
export function applyStrategicMergePatch(
  document: JsonObject | object,
  patch: JsonValue,
  schema: StructuralSchema,
): PatchResult<JsonObject> {
  return capturePatchFault(() => {
    const original = requireObject(deepClone(document as JsonObject));
    if (patch === null) return original;
    if (!isJsonObject(patch)) {
      throw new PatchFault(
        'malformed',
        `json: cannot unmarshal ${describeJsonType(patch)} into Go value of type map[string]interface {}`,
      );
    }
    return mergeObjects(original, deepClone(patch), schema);
  });
}

// Both arguments are copies that belong to the patch in progress: they are changed in place and become parts of the result.
function mergeObjects(original: JsonObject, patch: JsonObject, schema: StructuralSchema): JsonObject {
  if (Object.hasOwn(patch, patchKey)) return applyObjectDirective(patch);
  retainKeys(original, patch);
  mergeOrderedLists(original, patch, schema);
  for (const patchField of Object.keys(patch)) {
    const value = patch[patchField] ?? null;
    const deletes = patchField.startsWith(deletePrefix);
    const key = deletes ? extractField(patchField, deletePrefix, 'invalid patch format of primitive list') : patchField;
    if (value === null) {
      delete original[key];
      continue;
    }
    const current = getOwn(original, key);
    if (current === undefined || nameGoValueType(current) !== nameGoValueType(value)) {
      if (!deletes) {
        discardNulls(value);
        setField(original, key, removeDirectives(value));
      }
    } else if (Array.isArray(value)) {
      const guide = guideList(schema, key);
      const list = requireList(current);
      if (guide.strategy === 'merge' || deletes) {
        setOwn(original, key, mergeLists(list, value, guide.schema, guide.mergeKey, deletes));
      } else {
        setOwn(original, key, value);
      }
    } else if (isJsonObject(value)) {
      const guide = guideObject(schema, key);
      setOwn(
        original,
        key,
        guide.strategy === 'replace' ? value : mergeObjects(requireObject(current), value, guide.schema),
      );
    } else {
      setOwn(original, key, value);
    }
  }
  return original;
}

function setField(object: JsonObject, key: string, value: JsonValue | undefined): void {
  if (value === undefined) delete object[key];
  else setOwn(object, key, value);
}

function applyObjectDirective(patch: JsonObject): JsonObject {
  const directive = patch[patchKey];
  if (directive === 'replace') {
    delete patch[patchKey];
    return patch;
  }
  if (directive === 'delete') return {};
  throw makeUnknownDirective(directive, patch);
}

function makeUnknownDirective(directive: JsonValue | undefined, patch: JsonObject): PatchFault {
  const message = `unknown patch type: ${formatGoText(directive)} in map: ${formatGoValue(patch)}`;
  return new PatchFault('unexpected', message);
}

function extractField(key: string, prefix: string, fault: string): string {
  const slash = key.indexOf('/');
  if (slash < 0 || key.slice(0, slash) !== prefix) throw new PatchFault('malformed', fault);
  return key.slice(slash + 1);
}

/** `$retainKeys`: fields that it does not list are cleared; a patch that sets such a field contradicts itself. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  const retained = getOwn(patch, retainKeysKey);
  if (retained === undefined) return;
  delete patch[retainKeysKey];
  if (!Array.isArray(retained)) throw new PatchFault('malformed', 'invalid patch format of retainKeys');
  const kept = new Set<JsonValue>(retained);
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(deletePrefix) || key.startsWith(orderPrefix)) continue;
    if (!kept.has(key)) throw new PatchFault('malformed', 'invalid patch format of retainKeys');
  }
  for (const key of Object.keys(original)) if (!kept.has(key)) delete original[key];
}

/** Merges the lists for which the patch has a `$setElementOrder`, and takes them out of the patch. */
function mergeOrderedLists(original: JsonObject, patch: JsonObject, schema: StructuralSchema): void {
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(orderPrefix) || !Object.hasOwn(patch, directive)) continue;
    const order = requireList(patch[directive]);
    delete patch[directive];
    const key = extractField(directive, orderPrefix, 'invalid patch format of setElementOrder list');
    const originalValue = getOwn(original, key);
    const patchValue = getOwn(patch, key);
    const live = originalValue === undefined ? [] : requireList(originalValue);
    const changes = patchValue === undefined ? [] : requireList(patchValue);
    const { schema: items, strategy, mergeKey } = guideList(schema, key);
    checkOrderList(changes, order, mergeKey);
    if (originalValue === undefined && patchValue === undefined) continue;

    const kind = findItemKind(live, changes);
    const isMerge = strategy === 'merge' && originalValue !== undefined && patchValue !== undefined;
    const liveOrder = isMerge && kind === 'object' ? reuseDeletedPlaces(live, changes, mergeKey) : live;
    let merged: JsonValue[];
    if (patchValue === undefined) merged = live;
    else if (originalValue === undefined) merged = requireList(removeDirectives(changes));
    else merged = isMerge ? mergeLists(live, changes, items, mergeKey, false) : changes;
    setOwn(original, key, orderMergedList(merged, order, liveOrder, mergeKey, mergeKey === '' ? 'scalar' : kind));
    delete patch[key];
  }
}

/**
 * The live order that counts for `$setElementOrder`. Kubernetes merges within the memory of the live list, so that added items take
 * the places at its end that deleted items gave up, and are ordered as if they had been there.
 */
function reuseDeletedPlaces(live: JsonValue[], changes: readonly JsonValue[], mergeKey: string): JsonValue[] {
  const deleted = new Set<string | undefined>();
  for (const item of changes) {
    if (isJsonObject(item) && item[patchKey] === 'delete') deleted.add(identifyItem(item, mergeKey, 'object'));
  }
  const remaining = live.filter((item) => !deleted.has(identifyItem(item, mergeKey, 'object')));
  const known = indexItems(remaining, mergeKey, 'object');
  const added = changes.filter(
    (item) => !isDirective(item) && !known.has(identifyItem(item, mergeKey, 'object') ?? ''),
  );
  if (changes.some((item) => isJsonObject(item) && item[patchKey] === 'replace')) return remaining;
  return [...remaining, ...added.slice(0, live.length - remaining.length)];
}

/** The items of a patch must stand in the order that the patch itself declares. */
function checkOrderList(changes: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  if (order.length === 0 || changes.length === 0) return;
  const kept = mergeKey === '' ? changes : changes.filter((item) => requireObject(item)[patchKey] !== 'delete');
  let at = 0;
  let orderAt = 0;
  while (at < kept.length && orderAt < order.length) {
    const item = kept[at];
    if (isDirective(item)) {
      at++;
      continue;
    }
    const same =
      mergeKey === ''
        ? deepEqual(item, order[orderAt])
        : deepEqual(requireMergeKey(item, mergeKey), requireMergeKey(order[orderAt], mergeKey));
    if (same) at++;
    orderAt++;
  }
  if (at < kept.length) {
    throw new PatchFault(
      'unexpected',
      `The order in patch list:\n${formatGoValue([...changes])}\n doesn't match ${orderPrefix} list:\n${formatGoValue([...order])}\n`,
    );
  }
}

function mergeLists(
  original: JsonValue[],
  patch: JsonValue[],
  items: StructuralSchema,
  mergeKey: string,
  deletes: boolean,
): JsonValue[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (findItemKind(original, patch) === 'scalar') {
    const deleted = indexItems(patch, '', 'scalar');
    if (deletes) return original.filter((item) => !deleted.has(identifyItem(item, '', 'scalar') ?? ''));
    return orderMergedList(keepFirstOfEach([...original, ...patch]), patch, original, '', 'scalar');
  }
  if (mergeKey === '') {
    throw new PatchFault(
      'unexpected',
      `cannot merge lists without merge key for ${items.type === 'object' ? 'struct' : items.type}`,
    );
  }
  const { live, changes } = applyListDirectives(original, patch, mergeKey);
  const liveOrder = [...live];
  return orderMergedList(mergeItems(live, changes, items, mergeKey), changes, liveOrder, mergeKey, 'object');
}

function keepFirstOfEach(list: readonly JsonValue[]): JsonValue[] {
  const seen = new Set<string | undefined>();
  return list.filter((item) => {
    const identity = identifyItem(item, '', 'scalar');
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}

/** Carries out the `$patch` of items: `delete` by merge key, `replace` of the whole list. */
function applyListDirectives(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
): { live: JsonValue[]; changes: JsonValue[] } {
  const changes: JsonValue[] = [];
  const deleted = new Set<string>();
  let replaces = false;
  for (const item of patch) {
    const object = requireObject(item);
    if (!isDirective(object)) {
      changes.push(object);
    } else if (object[patchKey] === 'delete') {
      requireMergeKey(object, mergeKey);
      deleted.add(identifyItem(object, mergeKey, 'object') ?? '');
    } else if (object[patchKey] === 'replace') {
      replaces = true;
    } else if (object[patchKey] === 'merge') {
      throw new PatchFault('unexpected', 'merging lists cannot yet be specified in the patch');
    } else {
      throw makeUnknownDirective(object[patchKey], object);
    }
  }
  if (replaces) return { live: changes, changes: [] };
  return { live: original.filter((item) => !deleted.has(identifyItem(item, mergeKey, 'object') ?? 'none')), changes };
}

function mergeItems(
  live: readonly JsonValue[],
  changes: readonly JsonValue[],
  items: StructuralSchema,
  mergeKey: string,
): JsonValue[] {
  const merged = [...live];
  const places = indexItems(live, mergeKey, 'object');
  for (const change of changes) {
    const object = requireObject(change);
    requireMergeKey(object, mergeKey);
    const identity = identifyItem(object, mergeKey, 'object');
    const place = identity === undefined ? undefined : places.get(identity);
    if (place === undefined) {
      if (identity !== undefined) places.set(identity, merged.length);
      merged.push(object);
    } else {
      merged[place] = mergeObjects(requireObject(merged[place]), object, items);
    }
  }
  return merged;
}
