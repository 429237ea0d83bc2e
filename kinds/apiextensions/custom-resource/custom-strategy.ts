import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid } from '../../../core/errors/make-field-error.ts';
import { makeTooLargeError } from '../../../core/errors/make-status-error.ts';
import { deepClone, deepEqual } from '../../../core/meta/deep.ts';
import { getOwn, setOwn, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { checkQualifiedName } from '../../../core/validation/names.ts';
import { validateObjectMeta } from '../../../core/validation/object-meta.ts';
import type { KindStrategy, StrategyContext, WriteStrategy } from '../../kind-definition.ts';
import type { JsonSchemaProps } from '../custom-resource-definition/custom-resource-definition.ts';
import { fillVersion, type CustomVersion } from './custom-version.ts';
import { isLongValidation } from './is-long-validation.ts';
import { buildRules, type RuleNode } from './rules/rule-node.ts';
import { objectCostLimit, runRules } from './rules/run-rules.ts';
import { CorrelatedValue } from './validate/correlated-value.ts';
import { toFieldErrors } from './validate/schema-result.ts';
import { validateBySchema } from './validate/validate-by-schema.ts';
import { validateEmbeddedResources, warnOfFinalizers } from './validate/validate-embedded-resources.ts';
import { validateListTypes } from './validate/validate-list-types.ts';
import { validateScaleSpec, validateScaleStatus } from './validate/validate-scale.ts';

type CustomObject = KubeObject & JsonObject;

const blocking: ReadonlySet<FieldError['type']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const uncheckedRules =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** How objects of a version of a definition are prepared and validated. */
export function buildCustomStrategy(version: CustomVersion, namespaced: boolean): KindStrategy<KubeObject> {
  const validator = new CustomValidator(version, namespaced);
  const { status } = version.defined.subresources ?? {};
  return {
    ...(status === undefined ? {} : { resetFields: [['status']], status: buildStatusStrategy(validator) }),
    fillsSchemaDefaults: true,
    applyDefaults(object) {
      if (!fillVersion(object as CustomObject, version))
        throw makeTooLargeError('the defaults of its fields are too many');
    },
    prepareForCreate(object) {
      if (status !== undefined) delete (object as CustomObject)['status'];
      object.metadata.generation = 1;
    },
    prepareForUpdate(object, old) {
      if (status !== undefined) copyStatus(object as CustomObject, old as CustomObject);
      if (!deepEqual(withoutMetadata(object), withoutMetadata(old))) {
        object.metadata.generation = (old.metadata.generation ?? 0) + 1;
      }
    },
    validateCreate: (object, context) => validator.validateCreate(object as CustomObject, context),
    validateUpdate: (object, old, context) =>
      validator.validateUpdate(object as CustomObject, old as CustomObject, context),
    takesLong: (object) => isLongValidation(object as CustomObject, version.schema),
    listExcused: (object) => validator.listExcused(object as CustomObject),
    warnOnCreate: (object) => warnOfFinalizers(object.metadata.finalizers ?? [], checkQualifiedName),
    warnOnUpdate(object, old) {
      const before = new Set(old.metadata.finalizers);
      const added = (object.metadata.finalizers ?? []).filter((name) => !before.has(name));
      return warnOfFinalizers(added, checkQualifiedName);
    },
    allowsPlainFinalizers: true,
    allowUnconditionalUpdate: false,
  };
}

function withoutMetadata(object: KubeObject): JsonObject {
  const { metadata: _metadata, ...rest } = object as CustomObject;
  return rest;
}

function copyStatus(object: CustomObject, old: CustomObject): void {
  if (old['status'] === undefined) delete object['status'];
  else object['status'] = deepClone(old['status']);
}

/** Only the status, and the record of who set it, come from a status update. */
function buildStatusStrategy(validator: CustomValidator): WriteStrategy<KubeObject> {
  return {
    resetFields: [['spec']],
    prepareForUpdate(object, old) {
      const { status } = object as CustomObject;
      const { managedFields, resourceVersion } = object.metadata;
      for (const key of Object.keys(object)) delete (object as CustomObject)[key];
      for (const [key, value] of Object.entries(deepClone(old))) setOwn(object, key, value);
      if (managedFields === undefined) delete object.metadata.managedFields;
      else object.metadata.managedFields = managedFields;
      if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
      if (status === undefined) delete (object as CustomObject)['status'];
      else setOwn(object, 'status', status);
    },
    validateUpdate: (object, old, context) =>
      validator.validateStatusUpdate(object as CustomObject, old as CustomObject, context),
    listExcused: (object) => validator.listExcused(object as CustomObject),
  };
}

/** Validates objects of one version. */
class CustomValidator {
  readonly #version: CustomVersion;
  readonly #schema: JsonSchemaProps;
  readonly #namespaced: boolean;
  #rules: { readonly root: RuleNode | undefined } | undefined;
  /** What the rules found in objects that may keep it. */
  readonly #excused = new WeakMap<CustomObject, readonly string[]>();

  constructor(version: CustomVersion, namespaced: boolean) {
    this.#version = version;
    // Values are held against the schema as it was written.
    this.#schema = version.schema;
    this.#namespaced = namespaced;
  }

  /** Faults that rules found in an object that was validated, and that may stay since they were there before. */
  listExcused(object: CustomObject): readonly string[] {
    return this.#excused.get(object) ?? [];
  }

  validateCreate(object: CustomObject, context: StrategyContext): FieldError[] {
    const { scale } = this.#version.defined.subresources ?? {};
    const errors = [
      ...toFieldErrors(validateBySchema(object, this.#schema, ''), FieldPath.empty),
      ...validateScaleSpec(object, scale),
      ...validateScaleStatus(object, scale),
      ...validateEmbeddedResources(object, this.#schema, FieldPath.empty),
      ...validateListTypes(object, this.#schema, FieldPath.empty),
    ];
    return [...errors, ...this.#runRules(object, undefined, undefined, errors, context)];
  }

  validateUpdate(object: CustomObject, old: CustomObject, context: StrategyContext): FieldError[] {
    const { scale } = this.#version.defined.subresources ?? {};
    const before = new CorrelatedValue(object, old, this.#schema);
    const errors = [
      ...toFieldErrors(validateBySchema(object, this.#schema, '', before), FieldPath.empty),
      ...validateScaleSpec(object, scale),
      ...validateScaleStatus(object, scale),
      ...validateEmbeddedResources(object, this.#schema, FieldPath.empty),
      ...this.#validateChangedLists(object, old),
    ];
    return [...errors, ...this.#runRules(object, old, before, errors, context)];
  }

  validateStatusUpdate(object: CustomObject, old: CustomObject, context: StrategyContext): FieldError[] {
    const { scale } = this.#version.defined.subresources ?? {};
    const before = new CorrelatedValue(object, old, this.#schema);
    const errors = [
      ...this.#validateStatus(getOwn(object, 'status'), getOwn(old, 'status'), before.member('status')),
      ...validateScaleStatus(object, scale),
      ...this.#validateChangedLists(object, old),
    ];
    return [...errors, ...this.#runRules(object, old, before, errors, context)];
  }

  #validateStatus(
    status: JsonValue | undefined,
    old: JsonValue | undefined,
    before: CorrelatedValue | undefined,
  ): FieldError[] {
    const schema = this.#schema.properties?.['status'];
    if (schema === undefined || status === undefined) return [];
    const correlated = before ?? new CorrelatedValue(status, old, schema);
    return toFieldErrors(validateBySchema(status, schema, '', correlated), FieldPath.root('status'));
  }

  /** Lists that were wrong before may stay so. */
  #validateChangedLists(object: CustomObject, old: CustomObject): FieldError[] {
    const errors = validateListTypes(object, this.#schema, FieldPath.empty);
    if (errors.length === 0 || validateListTypes(old, this.#schema, FieldPath.empty).length > 0) return [];
    return errors;
  }

  #runRules(
    object: CustomObject,
    old: CustomObject | undefined,
    before: CorrelatedValue | undefined,
    errors: readonly FieldError[],
    { mayTakeLong }: StrategyContext,
  ): readonly FieldError[] {
    // Made once, and not before they are needed: it takes long where there are many.
    this.#rules ??= { root: buildRules(this.#schema, true) };
    const { root } = this.#rules;
    if (root === undefined) return [];
    const metaRules = { namespaced: this.#namespaced, allowsPlainFinalizers: true };
    const metaErrors = validateObjectMeta(object.metadata, metaRules, FieldPath.root('metadata'));
    const isBlocked = [...errors, ...metaErrors].some(({ type }) => blocking.has(type));
    if (isBlocked) return [makeInvalid(FieldPath.empty, null, uncheckedRules)];
    const outcome = runRules(root, {
      value: object,
      old,
      before,
      path: FieldPath.empty,
      budget: objectCostLimit,
      mayTakeLong,
    });
    this.#excused.set(object, outcome.warnings);
    return outcome.errors;
  }
}
