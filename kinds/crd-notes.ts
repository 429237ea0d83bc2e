import type { JsonObject, JsonValue } from '../core/meta/json.ts';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';

/** One rule in CEL: `rule` must hold, or the object is refused with `message`. */
export interface CrdRule {
  readonly rule: string;
  readonly message: string;
  /** Kind of the fault in the answer's causes; absent means FieldValueInvalid. */
  readonly reason?: 'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired';
  /** The field at fault below the rule's own, such as `.type`; absent: the field that has the rule. */
  readonly fieldPath?: string;
}

/** What a custom resource's schema says of a field beyond its structure. All of it holds for objects that the kind's strategy accepts. */
export interface CrdFieldNotes {
  readonly default?: JsonValue;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly allOf?: readonly JsonObject[];
  readonly anyOf?: readonly JsonObject[];
  readonly oneOf?: readonly JsonObject[];
  readonly not?: JsonObject;
  /** Whether values beside those that the schema lists pass; absent means that they do not. */
  readonly allowsOthers?: true;
  /** List semantics instead of the schema's. */
  readonly listType?: 'set';
  readonly rules?: readonly CrdRule[];
}

/** Notes by path: names joined with dots, `[]` after a list for its items, `{}` after a map for its values, empty for the object itself. */
export type CrdFields = Readonly<Record<string, CrdFieldNotes>>;

/** A column of `kubectl get` that the host computes, beside Name. */
export interface CrdColumn {
  readonly name: string;
  readonly type: 'date' | 'integer' | 'string';
  readonly description: string;
  /** 0 is shown always, greater values with `-o wide` only. */
  readonly priority: number;
  readonly jsonPath: string;
}

/**
 * A point where a custom resource is judged otherwise than by the kind's strategy.
 * `not-refused`: the definition lets pass what the strategy refuses. `refused`: it refuses what the strategy accepts.
 * `not-defaulted`: the host stores the object without the default; whoever reads it fills it in.
 */
export interface CrdException {
  /** Name of a RuleCase of the kind; where `example` is there, a name in the same manner. */
  readonly rule: string;
  readonly effect: 'not-defaulted' | 'not-refused' | 'refused';
  readonly reason: string;
  /** The object that is judged otherwise, where no RuleCase has it; `{domain}` stands in its apiVersion as in those. */
  readonly example?: JsonObject;
}

/** What a kind's CustomResourceDefinition says beyond its structural schema. */
export interface CrdNotes {
  readonly columns: readonly CrdColumn[];
  readonly fields: CrdFields;
  /** Fields that only the custom resource has, by path. */
  readonly additions?: Readonly<Record<string, StructuralSchema>>;
  readonly exceptions: readonly CrdException[];
}
