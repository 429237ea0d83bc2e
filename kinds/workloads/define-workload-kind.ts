import type { ResetFields } from '../../core/apply/reset-fields.ts';
import { deepClone } from '../../core/meta/deep.ts';
import { getOwn, setOwn } from '../../core/meta/json.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { decodeTyped } from '../../core/decode/decode-typed.ts';
import { applySchemaDefaults } from '../../core/schema/apply-schema-defaults.ts';
import type { StructuralSchema } from '../../core/schema/structural-schema.ts';
import type { FieldError } from '../../core/errors/field-error.ts';
import type {
  KindDefinition,
  KindStrategy,
  PrinterColumn,
  PrintRow,
  StrategyContext,
  WriteStrategy,
} from '../kind-definition.ts';
import { resolveDefinition } from './resolve-schema.ts';
import { validateBySchema } from './validate-by-schema.ts';

/** What is particular to a workload kind; everything else follows from its generated schema. */
export interface WorkloadKindLine {
  readonly kind: string;
  /** Upstream's group, whatever the installation's domain; empty for the core group. */
  readonly group: string;
  /** Absent: `v1`. */
  readonly version?: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly clusterScoped?: boolean;
  /** Name of the definition where it is not the group's own. */
  readonly definition?: string;
  readonly columns: readonly PrinterColumn[];
  readonly printRow: PrintRow<KubeObject>;
  /** Whether there is a `/status`; the main resource then leaves the status alone. */
  readonly status?: boolean | StatusRules;
  readonly generationFields?: readonly string[];
  readonly scale?: KindDefinition['scale'];
  readonly selectableFields?: KindDefinition['selectableFields'];
  readonly subresources?: readonly string[];
  readonly verbs?: KindDefinition['verbs'];
  readonly returnsDeletedObject?: boolean;
  readonly deprecation?: string;
  readonly description: string;
  readonly rules?: WorkloadRules;
}

/** Rules of `/status` beside the common ones. */
export interface StatusRules {
  /** Texts under `metadata` that a status update may not change, beside what every update may not. */
  readonly keptMetadata?: readonly ('labels' | 'ownerReferences' | 'deletionTimestamp')[];
  /** Fields that are reset beside the spec and the metadata above. */
  readonly resetFields?: ResetFields;
  prepare?(object: KubeObject, old: KubeObject, context: StrategyContext): void;
  validate?(object: KubeObject, old: KubeObject): FieldError[];
}

/** Behaviour beside the common one: a status is reset, schema defaults apply, required texts and enumerations are checked. */
export interface WorkloadRules extends Pick<
  KindStrategy<KubeObject>,
  | 'loadChecks'
  | 'fillStored'
  | 'takesLong'
  | 'validateName'
  | 'allowsPlainFinalizers'
  | 'namesUnnamed'
  | 'allowCreateOnUpdate'
  | 'allowUnconditionalUpdate'
  | 'defaultGracePeriodSeconds'
  | 'dependentsByDefault'
  | 'deletionWarning'
  | 'repeatedChecks'
> {
  applyDefaults?(object: KubeObject): void;
  /** Fields that are reset beside the status. */
  readonly resetFields?: ResetFields;
  /** After the status was emptied. */
  prepareForCreate?(object: KubeObject, context: StrategyContext): void;
  /** After the status was restored. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): void;
  /** Faults of the object by itself, on create and on update; replaces the check by schema. */
  validate?(object: KubeObject): FieldError[];
  /** Faults on create only. */
  validateNew?(object: KubeObject): FieldError[];
  /** Faults of the change; the object by itself is validated as well. */
  validateChange?(object: KubeObject, old: KubeObject): FieldError[];
  /** Faults of an update, replacing `validate` and `validateChange`. */
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[];
  warnOnCreate?(object: KubeObject): string[];
  warnOnUpdate?(object: KubeObject, old: KubeObject): string[];
  /** Keeps the status of a new object as the client wrote it. */
  readonly keepsStatusOnCreate?: boolean;
}

const definitionGroups: Readonly<Record<string, string>> = {
  '': 'core',
  'rbac.authorization.k8s.io': 'rbac',
};

function nameDefinition({ definition, group, version = 'v1', kind }: WorkloadKindLine): string {
  if (definition !== undefined) return definition;
  return `io.k8s.api.${definitionGroups[group] ?? group.split('.')[0]}.${version}.${kind}`;
}

function copyField(object: KubeObject, old: KubeObject, key: string): void {
  const value = getOwn(old as KubeObject & JsonObject, key);
  if (value === undefined) delete (object as KubeObject & JsonObject)[key];
  else setOwn(object, key, deepClone(value));
}

/** The strategy of a subresource that writes the status of a workload kind. */
export function buildStatusStrategy(rules: StatusRules): WriteStrategy<KubeObject> {
  const kept = rules.keptMetadata ?? [];
  return {
    resetFields: [['spec'], ...kept.map((key) => ['metadata', key]), ...(rules.resetFields ?? [])],
    prepareForUpdate(object, old, context) {
      for (const key of new Set([...Object.keys(object), ...Object.keys(old)])) {
        if (key !== 'metadata' && key !== 'status') copyField(object, old, key);
      }
      for (const key of kept) {
        if (old.metadata[key] === undefined) delete object.metadata[key];
        else setOwn(object.metadata, key, deepClone(old.metadata[key]));
      }
      rules.prepare?.(object, old, context);
    },
    validateUpdate: (object, old) => rules.validate?.(object, old) ?? [],
  };
}

/** A status that nobody has written yet; fields that are always written have their zero values. */
function makeEmptyStatus(schema: StructuralSchema): JsonObject {
  const status = schema.properties?.['status'];
  const decoded = status === undefined ? undefined : decodeTyped({}, status);
  return decoded !== undefined && 'object' in decoded ? decoded.object : {};
}

function buildStrategy(line: WorkloadKindLine, schema: StructuralSchema): KindStrategy<KubeObject> {
  const rules = line.rules ?? {};
  const hasStatus = line.status !== undefined && line.status !== false;
  const validate = (object: KubeObject): FieldError[] => rules.validate?.(object) ?? validateBySchema(object, schema);
  return {
    ...(hasStatus ? { resetFields: [['status'], ...(rules.resetFields ?? [])] } : {}),
    applyDefaults(object) {
      applySchemaDefaults(object as KubeObject & JsonObject, schema);
      rules.applyDefaults?.(object);
    },
    prepareForCreate(object, context) {
      if (hasStatus && !rules.keepsStatusOnCreate) setOwn(object, 'status', makeEmptyStatus(schema));
      rules.prepareForCreate?.(object, context);
    },
    prepareForUpdate(object, old, context) {
      if (hasStatus) copyField(object, old, 'status');
      rules.prepareForUpdate?.(object, old, context);
    },
    validateCreate: (object) => [...validate(object), ...(rules.validateNew?.(object) ?? [])],
    validateUpdate: (object, old) =>
      rules.validateUpdate?.(object, old) ?? [...validate(object), ...(rules.validateChange?.(object, old) ?? [])],
    ...(rules.warnOnCreate ? { warnOnCreate: (object: KubeObject) => rules.warnOnCreate?.(object) ?? [] } : {}),
    ...(rules.warnOnUpdate
      ? { warnOnUpdate: (object: KubeObject, old: KubeObject) => rules.warnOnUpdate?.(object, old) ?? [] }
      : {}),
    ...(rules.loadChecks ? { loadChecks: rules.loadChecks } : {}),
    ...(rules.fillStored ? { fillStored: rules.fillStored } : {}),
    ...(rules.takesLong ? { takesLong: rules.takesLong } : {}),
    ...(rules.validateName ? { validateName: rules.validateName } : {}),
    ...(rules.allowsPlainFinalizers ? { allowsPlainFinalizers: true } : {}),
    ...(rules.namesUnnamed ? { namesUnnamed: true } : {}),
    ...(rules.allowCreateOnUpdate ? { allowCreateOnUpdate: true } : {}),
    ...(rules.allowUnconditionalUpdate === false ? { allowUnconditionalUpdate: false } : {}),
    ...(rules.defaultGracePeriodSeconds ? { defaultGracePeriodSeconds: rules.defaultGracePeriodSeconds } : {}),
    ...(rules.dependentsByDefault ? { dependentsByDefault: rules.dependentsByDefault } : {}),
    ...(rules.deletionWarning ? { deletionWarning: rules.deletionWarning } : {}),
    ...(rules.repeatedChecks ? { repeatedChecks: rules.repeatedChecks } : {}),
    ...(line.generationFields ? { generationFields: line.generationFields } : {}),
    ...(hasStatus ? { status: buildStatusStrategy(typeof line.status === 'object' ? line.status : {}) } : {}),
  };
}

/** A kind of the registry from what is particular to it. */
export function defineWorkloadKind(line: WorkloadKindLine): KindDefinition {
  const schema = resolveDefinition(nameDefinition(line));
  return {
    kind: line.kind,
    groupTemplate: line.group,
    version: line.version ?? 'v1',
    plural: line.plural,
    singular: line.kind.toLowerCase(),
    shortNames: line.shortNames ?? [],
    categories: line.categories ?? [],
    namespaced: !line.clusterScoped,
    schema,
    strategy: buildStrategy(line, schema),
    columns: line.columns,
    printRow: line.printRow,
    ...(line.scale ? { scale: line.scale } : {}),
    ...(line.selectableFields ? { selectableFields: line.selectableFields } : {}),
    ...(line.subresources ? { subresources: line.subresources } : {}),
    ...(line.verbs ? { verbs: line.verbs } : {}),
    ...(line.returnsDeletedObject === true ? { returnsDeletedObject: true } : {}),
    ...(line.deprecation ? { deprecation: line.deprecation } : {}),
    description: line.description,
  };
}
