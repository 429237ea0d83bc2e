import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import { validateImmutable } from '../../workloads/validate-immutable.ts';
import { isConditionTrue } from './conditions.ts';
import type { CustomResourceDefinition, DefinedVersion } from './custom-resource-definition.ts';
import { describeCaBundleFault } from './describe-ca-bundle-fault.ts';
import { approvalKey, readApproval } from './read-approval.ts';
import type { KnownRules } from './rule-scope.ts';
import { validateDefinedNames } from './validate-names.ts';
import { validateSpec, type SpecHistory } from './validate-spec.ts';
import { visitSchemas } from './visit-schemas.ts';

const specPath = FieldPath.root('spec');
const statusPath = FieldPath.root('status');
const nothingKnown: KnownRules = { rules: new Set(), messageExpressions: new Set(), isUnchanged: false };

/** Faults of a new definition. */
export function validateNewDefinition(definition: CustomResourceDefinition): FieldError[] {
  const history = { knownRules: () => nothingKnown, allowsWrongBundle: true };
  return [
    ...validateName(definition),
    ...validateSpec(definition.spec, history, specPath),
    ...validateDefinitionStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, undefined),
    ...validatePreserving(definition, undefined),
  ];
}

/** Faults of a changed definition, those of the change included. */
export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  return [
    ...validateSpec(definition.spec, readHistory(definition, old), specPath),
    ...validateKept(definition, old),
    ...validateDefinitionStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, old),
    ...validatePreserving(definition, old),
  ];
}

/** Faults of a status by itself. */
export function validateDefinitionStatus({ status }: CustomResourceDefinition): FieldError[] {
  return validateDefinedNames(status?.acceptedNames ?? {}, statusPath.child('acceptedNames'));
}

function validateName({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const required = `${spec.names.plural}.${spec.group}`;
  const path = FieldPath.root('metadata');
  return (['generateName', 'name'] as const).flatMap((key) => {
    const name = metadata[key] ?? '';
    const isFine = name === '' || name === required;
    return isFine ? [] : [makeInvalid(path.child(key), name, 'must be spec.names.plural+"."+spec.group')];
  });
}

/** The schemas by the names of their versions, of those of one name the first. */
function mapSchemas({ spec }: CustomResourceDefinition): ReadonlyMap<string, DefinedVersion['schema']> {
  return new Map(spec.versions.toReversed().map(({ name, schema }) => [name, schema]));
}

function readHistory(definition: CustomResourceDefinition, old: CustomResourceDefinition): SpecHistory {
  const rules = new Set<string>();
  const messageExpressions = new Set<string>();
  for (const { schema } of old.spec.versions) {
    visitSchemas(schema?.openAPIV3Schema, (part) => {
      for (const { rule, messageExpression = '' } of part['x-kubernetes-validations'] ?? []) {
        rules.add(rule);
        if (messageExpression !== '') messageExpressions.add(messageExpression);
      }
    });
  }
  const [oldSchemas, schemas] = [mapSchemas(old), mapSchemas(definition)];
  const oldBundle = old.spec.conversion?.webhook?.clientConfig?.caBundle ?? '';
  return {
    knownRules(version) {
      const schema = oldSchemas.get(version);
      const isUnchanged = schema !== undefined && deepEqual(schema, schemas.get(version));
      return { rules, messageExpressions, isUnchanged };
    },
    allowsWrongBundle: !isConditionTrue(old, 'Established') || describeCaBundleFault(oldBundle) !== undefined,
  };
}

/** Faults of what may not be changed: where objects are stored, and once the kind is served what it is called. */
function validateKept({ spec }: CustomResourceDefinition, old: CustomResourceDefinition): FieldError[] {
  const names = specPath.child('names');
  const isServed = isConditionTrue(old, 'Established');
  return [
    ...(isServed ? validateImmutable(spec.scope, old.spec.scope, specPath.child('scope')) : []),
    ...(isServed ? validateImmutable(spec.names.kind, old.spec.names.kind, names.child('kind')) : []),
    ...validateImmutable(spec.group, old.spec.group, specPath.child('group')),
    ...validateImmutable(spec.names.plural, old.spec.names.plural, names.child('plural')),
  ];
}

function validateStoredVersions({ spec, status }: CustomResourceDefinition): FieldError[] {
  const path = statusPath.child('storedVersions');
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [makeInvalid(path, null, 'must have at least one stored version')];
  const names = new Set(spec.versions.map(({ name }) => name));
  const lastIndexes = new Map(stored.map((name, index) => [name, index]));
  const missing = spec.versions.filter(({ name, storage }) => storage && !lastIndexes.has(name));
  return [
    ...missing.map(({ name }) => makeInvalid(path, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) => {
      if (names.has(name) || lastIndexes.get(name) !== index) return [];
      const until = `a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until ${until}`;
      return [makeInvalid(path.index(index), name, detail)];
    }),
  ];
}

function validateApproval(
  { metadata, spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  const approval = readApproval(spec.group, metadata.annotations);
  if (approval === undefined || approval.state === 'Approved' || approval.state === 'Unapproved') return [];
  if (old !== undefined && readApproval(spec.group, old.metadata.annotations)?.state === approval.state) return [];
  const path = FieldPath.root('metadata', 'annotations').key(approvalKey);
  if (approval.state === 'Missing') return [makeRequired(path, approval.message)];
  return [makeInvalid(path, metadata.annotations?.[approvalKey], approval.message)];
}

function validatePreserving(
  { spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  if (spec.preserveUnknownFields !== true || old?.spec.preserveUnknownFields === true) return [];
  const instead = 'set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [makeInvalid(specPath.child('preserveUnknownFields'), true, `cannot set to true, ${instead}`)];
}
