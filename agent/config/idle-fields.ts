import { isJsonObject, type JsonObject } from '../../core/meta/json.ts';
import { type ConfigGroup, isConfigGroup } from './config-field.ts';
import { configSchema } from './config-schema.ts';
import { featureGateDefinitions, type FeatureGateDefinition } from './feature-gates.ts';

const gates: Readonly<Record<string, FeatureGateDefinition>> = featureGateDefinitions;

function collect(document: JsonObject, { fields }: ConfigGroup, prefix: string, found: Set<string>): void {
  for (const [name, value] of Object.entries(document)) {
    const node = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (node === undefined || value === null || value === undefined) continue;
    if (!isConfigGroup(node)) {
      if (node.isWithoutEffect === true) found.add(`${prefix}${name}`);
    } else if (isJsonObject(value)) {
      collect(value, node, `${prefix}${name}.`, found);
    }
  }
}

/** Paths of the fields, and of the feature gates, that documents set and that change nothing yet; sorted. */
export function listIdleFields(documents: readonly JsonObject[]): string[] {
  const found = new Set<string>();
  for (const document of documents) {
    collect(document, configSchema, '', found);
    const { featureGates } = document;
    for (const name of isJsonObject(featureGates) ? Object.keys(featureGates) : []) {
      if (Object.hasOwn(gates, name) && gates[name]?.effect === undefined) found.add(`featureGates[${name}]`);
    }
  }
  return [...found].toSorted();
}

/** A complete configuration without the values that nobody is to see. */
export function maskConfiguration(document: JsonObject): JsonObject {
  const shown = { ...document };
  for (const [name, node] of Object.entries(configSchema.fields)) {
    const value = shown[name];
    if (isConfigGroup(node) || node.isSecret !== true || !isJsonObject(value)) continue;
    shown[name] = Object.fromEntries(Object.keys(value).map((key) => [key, ['<masked>']]));
  }
  return shown;
}
