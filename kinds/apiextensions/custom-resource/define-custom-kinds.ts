import { compareVersions } from '../../../core/meta/compare-versions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import { findInJson } from '../../../core/json-path/find-in-json.ts';
import { parseJsonPath } from '../../../core/json-path/parse-json-path.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatGoValue } from '../../../core/patch/format-go-value.ts';
import type { KindDefinition, StoredConversion } from '../../kind-definition.ts';
import type {
  CustomResourceDefinition,
  DefinedVersion,
  JsonSchemaProps,
} from '../custom-resource-definition/custom-resource-definition.ts';
import { buildCustomStrategy } from './custom-strategy.ts';
import { convertObject, fillVersion, prepareVersion, type CustomVersion } from './custom-version.ts';
import { decodeCustomObject } from './decode/decode-custom-object.ts';
import { printColumns } from './show/print-columns.ts';
import { toResourceStructure } from './to-structural-schema.ts';

/**
 * The kinds of a definition, one for each version, served or not, newest first, as `status.acceptedNames` names them; all share
 * `storedVersion`. Throws for a definition that its validation would refuse.
 */
export function defineCustomKinds(definition: CustomResourceDefinition): readonly KindDefinition[] {
  const { group, versions, preserveUnknownFields } = definition.spec;
  const prepared = versions.map((version) => prepareVersion(group, version, preserveUnknownFields === true));
  const stored = prepared.find(({ defined }) => defined.storage);
  if (stored === undefined) throw new Error(`no version of ${definition.metadata.name ?? ''} is stored`);
  return prepared
    .toSorted((left, right) => compareVersions(left.name, right.name))
    .map((version) => defineVersion(definition, version, prepared, stored));
}

function defineVersion(
  definition: CustomResourceDefinition,
  version: CustomVersion,
  versions: readonly CustomVersion[],
  stored: CustomVersion,
): KindDefinition {
  const { spec, status } = definition;
  const names = status?.acceptedNames ?? spec.names;
  const { schema, keepsUnknown, defined } = version;
  const namespaced = spec.scope === 'Namespaced';
  const scale = describeScale(defined);
  const deprecation = describeDeprecation(definition, defined);
  return {
    kind: names.kind,
    groupTemplate: spec.group,
    version: version.name,
    storedVersion: stored.name,
    listKind: names.listKind ?? `${names.kind}List`,
    definedBy: definition,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced,
    schema: toResourceStructure(schema),
    decode(value, options) {
      const isOther = isJsonObject(value) && typeof value['kind'] === 'string' && value['kind'] !== names.kind;
      const written = findWrittenSchema(value, version, versions);
      // What is of another kind is refused as it is.
      return decodeCustomObject(value, written, { ...options, keepsUnknown: keepsUnknown || isOther });
    },
    conversion: describeConversion(version, versions, stored),
    strategy: buildCustomStrategy(version, namespaced),
    ...printColumns(defined.additionalPrinterColumns),
    selectableFields: describeSelectableFields(defined),
    ...(scale === undefined ? {} : { scale }),
    ...(deprecation === undefined ? {} : { deprecation }),
    description: schema.description ?? '',
  };
}

/** The schema of the version that an object says it is of: one that says another is decoded by that before it is refused. */
function findWrittenSchema(
  value: JsonValue,
  version: CustomVersion,
  versions: readonly CustomVersion[],
): JsonSchemaProps {
  const apiVersion = isJsonObject(value) ? value['apiVersion'] : undefined;
  if (typeof apiVersion !== 'string' || apiVersion === version.apiVersion) return version.schema;
  const [group] = version.apiVersion.split('/');
  if (!apiVersion.startsWith(`${group}/`)) return version.schema;
  return versions.find((one) => one.apiVersion === apiVersion)?.schema ?? {};
}

function describeScale({ subresources }: DefinedVersion): KindDefinition['scale'] {
  const scale = subresources?.scale;
  if (scale === undefined) return undefined;
  const trim = (path: string): string => path.replace(/^\./, '');
  return {
    specReplicasPath: trim(scale.specReplicasPath),
    statusReplicasPath: trim(scale.statusReplicasPath),
    ...(scale.labelSelectorPath === undefined ? {} : { selectorPath: trim(scale.labelSelectorPath) }),
  };
}

function describeConversion(
  version: CustomVersion,
  versions: readonly CustomVersion[],
  stored: CustomVersion,
): StoredConversion {
  const byApiVersion = new Map(versions.map((one) => [one.apiVersion, one]));
  return {
    toStored: (object) => convertObject(object, version, stored),
    fromStored(object) {
      const from = typeof object['apiVersion'] === 'string' ? byApiVersion.get(object['apiVersion']) : undefined;
      // What a version stored that is gone since looks as if it had always been of this one.
      if (from === undefined) object['apiVersion'] = version.apiVersion;
      // As in Kubernetes, the version that was stored has its defaults filled, and not the one that is shown.
      fillVersion(object, from ?? version);
      convertObject(object, from ?? version, version);
    },
  };
}

function describeSelectableFields({
  selectableFields,
}: DefinedVersion): NonNullable<KindDefinition['selectableFields']> {
  const fields: Record<string, (object: KubeObject) => string> = {};
  for (const { jsonPath } of selectableFields ?? []) {
    const path = parseJsonPath(jsonPath);
    if ('fault' in path) throw new Error(`${jsonPath} is no path: ${path.fault}`);
    fields[jsonPath.replace(/^\./, '')] = (object) => {
      const value = findInJson(path, object as KubeObject & JsonObject)?.[0];
      return value === undefined || value === null ? '' : formatGoValue(value);
    };
  }
  return fields;
}

/** The warning of a deprecated version, which names the newest that is not. */
function describeDeprecation({ spec }: CustomResourceDefinition, version: DefinedVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = spec;
  const newest = versions
    .filter(({ name, served, deprecated }) => served && deprecated !== true && compareVersions(name, version.name) < 0)
    .map(({ name }) => name)
    .toSorted(compareVersions)[0];
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  return newest === undefined ? text : `${text}; use ${group}/${newest} ${names.kind}`;
}
