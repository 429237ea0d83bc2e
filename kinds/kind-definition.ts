import type { ResetFields } from '../core/apply/reset-fields.ts';
import type { FieldError } from '../core/errors/field-error.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import type { UserInfo } from '../core/meta/user-info.ts';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';
import type { DecodedObject, DecodeOptions } from '../core/decode/decode-typed.ts';
import type { JsonObject, JsonValue } from '../core/meta/json.ts';
import type { CustomResourceDefinition } from './apiextensions/custom-resource-definition/custom-resource-definition.ts';
import type { CrdNotes } from './crd-notes.ts';

/** What a strategy may know besides the objects. All of it is data: strategies are pure. */
export interface StrategyContext {
  /** The installation's domain, such as `bailiwick.dev`. */
  readonly domain: string;
  /** Milliseconds since the epoch. */
  readonly nowMillis: number;
  /** Who creates the object; absent on updates. */
  readonly user?: UserInfo;
  /** Whether judging holds up nobody, so that it may take as long as it does; absent: what takes long throws JudgementTakesLong. */
  readonly mayTakeLong?: boolean;
}

/** Preparation and validation of one way to write an object. Functions change `object` in place, never `old`. */
export interface WriteStrategy<T extends KubeObject> {
  /** Resets what a client may not set this way (status on the main resource, spec on `/status`), fills what the server decides. */
  prepareForUpdate(object: T, old: T, context: StrategyContext): void;
  /** Every fault at once, metadata excluded (the pipeline validates that); empty when valid. */
  validateUpdate(object: T, old: T, context: StrategyContext): FieldError[];
  /** Fields that this way of writing resets, as paths of names; server-side apply lets nobody own them. Absent means none. */
  readonly resetFields?: ResetFields;
  /**
   * Which checks of metadata Kubernetes' validation of the kind makes once more, before those of the kind: of the object as if it were
   * new, or of the change. They tell their faults again. Absent: of the change; none also means that faults of the metadata of a new
   * object are told only when the kind finds nothing.
   */
  readonly repeatedChecks?: readonly ('object' | 'change')[];
  /** Faults of an object just validated that it may keep, since they were there before, as texts for `Warning` headers; absent: there are none. */
  listExcused?(object: T): readonly string[];
  /** Texts for `Warning` headers. */
  warnOnUpdate?(object: T, old: T, context: StrategyContext): string[];
}

/** A kind's differences in the common pipeline, in the manner of Kubernetes' registry strategies. */
export interface KindStrategy<T extends KubeObject> extends WriteStrategy<T> {
  /** Fills defaults in place; runs after every decode of a body and on every result of a patch. */
  applyDefaults(object: T, context: StrategyContext): void;
  /** Whether `applyDefaults` fills the defaults of the schema too; absent: they are filled before. */
  readonly fillsSchemaDefaults?: boolean;
  /** Resets status and other fields that a client may not set on create. */
  prepareForCreate(object: T, context: StrategyContext): void;
  /** Fills in place what a new object has only once it is stored, so that what validates it does not see it; absent: nothing is. */
  fillStored?(object: T): void;
  /** Every fault at once, metadata excluded; empty when valid. */
  validateCreate(object: T, context: StrategyContext): FieldError[];
  warnOnCreate?(object: T, context: StrategyContext): string[];
  /** Loads what judging a write takes, where that is much and many installations never do; awaited before a write is judged. Absent: it is there. */
  loadChecks?(): Promise<unknown>;
  /** Whether validating the object takes more than some milliseconds, so that it should hold up nobody else; absent: it never does. */
  takesLong?(object: T): boolean;
  /** Faults of `metadata.name` of this kind; absent means a DNS-1123 subdomain. `prefix` is true for a generateName. */
  validateName?(name: string, prefix: boolean): string[];
  /** Whether finalizers need no domain; absent means false. */
  readonly allowsPlainFinalizers?: boolean;
  /** Whether an object without name and generateName gets a random UUID as its name; absent means false. */
  readonly namesUnnamed?: boolean;
  /** Whether PUT of an absent object creates it; absent means false. */
  readonly allowCreateOnUpdate?: boolean;
  /** Whether an update needs no resourceVersion; absent means true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Top-level fields, compared by value, whose change raises `metadata.generation`; absent: generation is not kept. */
  readonly generationFields?: readonly string[];
  /**
   * What becomes of dependents when a deletion does not say: they are left without the owner, or nothing is ever done about them;
   * absent: they are deleted too.
   */
  readonly dependentsByDefault?: 'orphan' | 'ignore';
  /** Text that a deletion which does not say what becomes of dependents carries as a `Warning` header; absent: none. */
  readonly deletionWarning?: string;
  /** Grace period of a deletion in seconds when the client names none; absent: objects are deleted at once. */
  defaultGracePeriodSeconds?(object: T): number;
  /** Strategy of the `/status` subresource; absent: the kind has none. */
  readonly status?: WriteStrategy<T>;
}

/** A column of `kubectl get`, beside Name and (last) Age unless given here. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0 is shown always, greater values with `-o wide` only. */
  readonly priority: number;
}

/** Cells of one Table row, one a column; `nowMillis` is for ages. */
export type PrintRow<T extends KubeObject> = (object: T, nowMillis: number) => (string | number | boolean | null)[];

/** Where a kind's scale subresource reads and writes; paths are dotted from the root of the object. */
export interface ScaleDefinition {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Path of a LabelSelector, of a plain map of labels (ReplicationController), or of a selector as text; absent: none is shown. */
  readonly selectorPath?: string;
}

/** How objects of a kind with several versions go to the store and come from it; in place. */
export interface StoredConversion {
  /** An object of this version becomes what the stored version has of it: other apiVersion, unknown fields dropped, nothing defaulted. */
  toStored(object: JsonObject): void;
  /** An object of any version, as it was stored once, becomes what this version has of it now: dropped, defaulted, and its apiVersion. */
  fromStored(object: JsonObject): void;
}

/** All that is known of a kind: one of these, in the kind's folder, and one line in the registry, make it served. */
export interface KindDefinition<T extends KubeObject = KubeObject> {
  readonly kind: string;
  /** API group with `{domain}` where the installation's domain stands; empty for the core group. */
  readonly groupTemplate: string;
  /** Group of the CRD and of the alias path where it differs from `groupTemplate` (`core.{domain}`, `policy.{domain}`). */
  readonly aliasGroupTemplate?: string;
  readonly version: string;
  /** Kind of its lists; absent: `kind` and `List`. */
  readonly listKind?: string;
  /** The definition that made it; absent for kinds of the program. */
  readonly definedBy?: CustomResourceDefinition;
  /** Absent: objects are stored and shown as they are. */
  readonly conversion?: StoredConversion;
  /** An object from what a client sent, or why it is none, in Go's words; changes nothing. Absent: the schema tells. */
  readonly decode?: (value: JsonValue, options: DecodeOptions) => DecodedObject | { readonly fault: string };
  /** Version that objects are stored as, where the kind has several; absent: `version`. */
  readonly storedVersion?: string;
  readonly plural: string;
  /** What Kubernetes' storage has instead of the plural, which a few errors show; absent: the plural. */
  readonly storedAs?: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly schema: StructuralSchema;
  readonly strategy: KindStrategy<T>;
  readonly columns: readonly PrinterColumn[];
  readonly printRow: PrintRow<T>;
  /** Field selectors beside metadata.name and metadata.namespace: label to value. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  readonly scale?: ScaleDefinition;
  /** Whether a deletion answers the object as it was last; absent: it answers a Status. */
  readonly returnsDeletedObject?: boolean;
  /** Text that every answer carries as a `Warning` header, since the kind is deprecated; absent: it is not. */
  readonly deprecation?: string;
  /** Further subresources, such as `binding`, `eviction`, `token`, `approval`; each has its own handler in the API service. */
  readonly subresources?: readonly string[];
  /** Whose its objects are, where they are not stored here but asked for each time; absent: they are stored, or it is only created. */
  readonly heldBy?: 'node-agents';
  /** Verbs served; absent means all. Create-only kinds (reviews) have none of the others and are not stored. */
  readonly verbs?: readonly (
    'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'
  )[];
  /** What its CustomResourceDefinition says beyond the schema; absent: a host holds no objects of it for us. */
  readonly crd?: CrdNotes;
  /** Served under other group-versions with the same shape as well (`events.k8s.io` is not: its shape differs). */
  readonly description: string;
}
