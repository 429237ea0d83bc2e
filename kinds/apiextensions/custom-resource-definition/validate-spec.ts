import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../../core/validation/names.ts';
import type { CustomResourceDefinition, DefinedVersion } from './custom-resource-definition.ts';
import { toInternalSpec, type InternalSpec, type VersionParts } from './internal-spec.ts';
import type { KnownRules } from './rule-scope.ts';
import { showInternalVersions } from './show-internal.ts';
import { validateConversion } from './validate-conversion.ts';
import { validateDefinedNames } from './validate-names.ts';
import { validateSchema } from './validate-schema.ts';
import {
  validateColumns,
  validateDeprecation,
  validateSelectableFields,
  validateSubresources,
} from './validate-version-parts.ts';
import { visitSchemas } from './visit-schemas.ts';

/** What was there before a definition is changed. */
export interface SpecHistory {
  /** Rules of versions that were there before, by the name of the version. */
  knownRules(version: string): KnownRules;
  /** Whether certificates that nobody can read may stay. */
  readonly allowsWrongBundle: boolean;
}

type Spec = CustomResourceDefinition['spec'];

const scopes = ['Cluster', 'Namespaced'];

/** Faults of a spec by itself. */
export function validateSpec(spec: Spec, history: SpecHistory, path: FieldPath): FieldError[] {
  const internal = toInternalSpec(spec);
  return [
    ...validateGroup(spec.group, path.child('group')),
    ...validateScope(spec.scope, path.child('scope')),
    ...validateSchemasExist(internal, path),
    ...validateDefaultsAllowed(spec, path),
    ...internal.versions.flatMap((version, index) =>
      validateVersion(version, internal, history, path.child('versions').index(index)),
    ),
    ...validateVersionList(internal, path),
    ...validateWantedNames(spec, path.child('names')),
    ...validateShared(internal, history, path),
    ...validateConverting(spec, path.child('conversion')),
    ...validateConversion(spec.conversion, history.allowsWrongBundle, path.child('conversion')),
  ];
}

function validateGroup(group: string, path: FieldPath): FieldError[] {
  if (group === '') return [makeRequired(path, '')];
  const faults = checkDns1123Subdomain(group);
  if (faults.length > 0) return [makeInvalid(path, group, faults.join(','))];
  return group.includes('.') ? [] : [makeInvalid(path, group, 'should be a domain with at least one dot')];
}

function validateScope(scope: string, path: FieldPath): FieldError[] {
  if (scope === '') return [makeRequired(path, '')];
  return scopes.includes(scope) ? [] : [makeNotSupported(path, scope, scopes)];
}

function validateSchemasExist({ shared, versions }: InternalSpec, path: FieldPath): FieldError[] {
  if (shared.schema?.openAPIV3Schema !== undefined) return [];
  return versions.flatMap(({ schema }, index) =>
    schema?.openAPIV3Schema === undefined
      ? [makeRequired(path.child('versions').index(index).child('schema', 'openAPIV3Schema'), '')]
      : [],
  );
}

function validateDefaultsAllowed({ versions, preserveUnknownFields }: Spec, path: FieldPath): FieldError[] {
  if (preserveUnknownFields !== true) return [];
  let hasDefaults = false;
  for (const { schema } of versions) {
    visitSchemas(schema?.openAPIV3Schema, (part) => {
      hasDefaults ||= part.default !== undefined;
    });
  }
  const detail = 'must be false in order to use defaults in the schema';
  return hasDefaults ? [makeInvalid(path.child('preserveUnknownFields'), true, detail)] : [];
}

function hasStatus({ subresources }: VersionParts): boolean {
  return subresources?.status !== undefined;
}

function validateSchemaPart(
  parts: VersionParts,
  withStatus: boolean,
  known: KnownRules,
  path: FieldPath,
): FieldError[] {
  const schema = parts.schema?.openAPIV3Schema;
  return schema === undefined ? [] : validateSchema(schema, withStatus, known, path);
}

function validateVersion(
  version: DefinedVersion,
  { shared }: InternalSpec,
  history: SpecHistory,
  path: FieldPath,
): FieldError[] {
  const faults = checkDns1035Label(version.name);
  const withStatus = hasStatus(shared) || hasStatus(version);
  return [
    ...(faults.length > 0 ? [makeInvalid(path.child('name'), version.name, faults.join(','))] : []),
    ...validateDeprecation(version.deprecated === true, version.deprecationWarning, path.child('deprecationWarning')),
    ...validateSchemaPart(version, withStatus, history.knownRules(version.name), path.child('schema')),
    ...validateSubresources(version.subresources, path.child('subresources')),
    ...validateColumns(version.additionalPrinterColumns, path.child('additionalPrinterColumns')),
    ...validateSelectableFields(version, 'may only be set when `version.schema.openAPIV3Schema` is not included', path),
  ];
}

function validateVersionList({ versions }: InternalSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const names = versions.map(({ name }) => name);
  const own = path.child('versions');
  const refuse = (detail: string): void => {
    errors.push(makeInvalid(own, versions.length === 0 ? null : showInternalVersions(versions), detail));
  };
  if (new Set(names).size < names.length) refuse('must contain unique version names');
  if (versions.filter(({ storage }) => storage).length !== 1) {
    refuse('must have exactly one version marked as storage version');
  }
  const [first = ''] = names;
  const faults = first === '' ? [] : checkDns1035Label(first);
  if (faults.length > 0) errors.push(makeInvalid(path.child('version'), first, faults.join(',')));
  return errors;
}

function validateWantedNames({ names }: Spec, path: FieldPath): FieldError[] {
  const missing = (['plural', 'singular', 'kind', 'listKind'] as const).filter((key) => (names[key] ?? '') === '');
  return [...missing.map((key) => makeRequired(path.child(key), '')), ...validateDefinedNames(names, path)];
}

/** Faults of what all versions have in common. */
function validateShared({ shared, versions }: InternalSpec, history: SpecHistory, path: FieldPath): FieldError[] {
  const withStatus = hasStatus(shared) || versions.some(hasStatus);
  const known = history.knownRules(versions[0]?.name ?? '');
  return [
    ...validateSchemaPart(shared, withStatus, known, path.child('validation')),
    ...validateSubresources(shared.subresources, path.child('subresources')),
    ...validateColumns(shared.additionalPrinterColumns, path.child('additionalPrinterColumns')),
    ...validateSelectableFields(shared, 'may only be set when validations.schema is included', path),
  ];
}

function validateConverting({ conversion, preserveUnknownFields }: Spec, path: FieldPath): FieldError[] {
  const { strategy = 'None' } = conversion ?? {};
  if (strategy === 'None' || preserveUnknownFields !== true) return [];
  const detail = 'must be None if spec.preserveUnknownFields is true';
  return [makeInvalid(path.child('strategy'), strategy, detail)];
}
