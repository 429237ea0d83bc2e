import { deepClone } from '../../core/meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../core/meta/json.ts';
import { applyMergePatch } from '../../core/patch/merge-patch.ts';
import { type ConfigField, type ConfigGroup, isConfigGroup } from './config-field.ts';
import { configSchema } from './config-schema.ts';
import type { ConfigurationOverrides } from './agent-flags.ts';

function isZero(value: JsonValue): boolean {
  return value === '' || value === 0 || value === '0s';
}

function hasValue(value: JsonValue | undefined, field: ConfigField): boolean {
  return value !== undefined && value !== null && !(field.isZeroAbsent === true && isZero(value));
}

function fillGroup(document: JsonObject, { fields }: ConfigGroup): void {
  for (const [name, node] of Object.entries(fields)) {
    const value = Object.hasOwn(document, name) ? document[name] : undefined;
    if (isConfigGroup(node)) {
      const group = isJsonObject(value) ? value : {};
      fillGroup(group, node);
      setOwn(document, name, group);
    } else if (!hasValue(value, node)) {
      if (node.default === undefined) delete document[name];
      else setOwn(document, name, deepClone(node.default));
    }
  }
}

/** Gives fields that are absent their defaults, as the kubelet does: reports of the status are as frequent as updates that somebody chose. */
function fillDocument(document: JsonObject): void {
  const { nodeStatusUpdateFrequency: updates, nodeStatusReportFrequency: reports } = document;
  const isSet = (value: JsonValue | undefined): boolean => value !== undefined && value !== null && !isZero(value);
  if (isSet(updates) && !isSet(reports)) document['nodeStatusReportFrequency'] = updates;
  fillGroup(document, configSchema);
}

/** The fields that a main file sets, or none, with the defaults of all others. */
export function completeConfiguration(document: JsonObject): JsonObject {
  const complete = applyMergePatch({}, document) as JsonObject;
  const { evictionHard } = complete;
  if (isJsonObject(evictionHard) && complete['mergeDefaultEvictionSettings'] === true) {
    const node = configSchema.fields['evictionHard'];
    const thresholds = node !== undefined && !isConfigGroup(node) ? node.default : undefined;
    if (isJsonObject(thresholds)) complete['evictionHard'] = { ...thresholds, ...evictionHard };
  }
  fillDocument(complete);
  return complete;
}

/**
 * Lays drop-ins over a complete configuration, one after the other: fields of objects and keys of maps one by one, lists whole; null takes
 * away what is there, so that the default holds again.
 */
export function mergeDropIns(complete: JsonObject, dropIns: readonly JsonObject[]): JsonObject {
  const merged = dropIns.reduce<JsonValue>((document, dropIn) => applyMergePatch(document, dropIn), complete);
  const result = deepClone(merged) as JsonObject;
  // As in the kubelet, whose thresholds have their defaults from its main file: drop-ins can do without any.
  result['evictionHard'] ??= {};
  fillDocument(result);
  return result;
}

/** Sets what flags set, over everything else. */
export function overrideConfiguration(complete: JsonObject, overrides: ConfigurationOverrides): JsonObject {
  const result = deepClone(complete);
  for (const { path, value } of overrides) {
    let target = result;
    for (const name of path.slice(0, -1)) {
      const below = target[name];
      const group = isJsonObject(below) ? below : {};
      setOwn(target, name, group);
      target = group;
    }
    setOwn(target, path.at(-1) ?? '', value);
  }
  return result;
}
