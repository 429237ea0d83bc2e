import type { JsonValue } from '../meta/json.ts';

/**
 * What a scalar is beyond its JSON type. `quantity`, `int-or-string`, the times and `byte` are normalised on decode; `date`, `duration`
 * and `text`, a text of some other format, occur in kinds that users define only.
 */
export type SchemaFormat =
  | 'int32'
  | 'int64'
  | 'double'
  | 'quantity'
  | 'int-or-string'
  | 'date-time'
  | 'micro-time'
  | 'byte'
  | 'date'
  | 'duration'
  | 'text';

/**
 * What becomes of a field's zero value (`""`, 0, false, `[]`, `{}`, null) when an object is decoded and stored.
 * `omit`: the field is left out (Go: a value with `omitempty`). `keep`: it stays as it was set (a pointer).
 * `fill`: the field is always written, and an absent one gets its zero value (a value without `omitempty`).
 */
export type ZeroValue = 'omit' | 'keep' | 'fill';

/** What a value of type `any` is decoded by when it is an object, an array or a boolean; what is none of those allowed is null. */
export interface SchemaAlternatives {
  readonly object?: StructuralSchema;
  readonly array?: StructuralSchema;
  readonly boolean?: true;
  /** Wording of the fault that a value of another type is; absent: it is no fault. */
  readonly fault?: string;
}

/**
 * The structure of a kind: guides decoding, pruning, defaulting, strategic merge, server-side apply, OpenAPI and CRDs.
 * Kinds in `kinds/` derive it from their zod schema, workload kinds from a generated file. It may be cyclic (through
 * getters), so walk it along a value, never by itself without a visited set.
 */
export interface StructuralSchema {
  /** `any` is any JSON value, kept as it is. An `int-or-string` has type `any` and that format; a quantity type `string`. */
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'any';
  readonly format?: SchemaFormat;
  /** Definition name of a named type, such as `io.k8s.api.core.v1.PodSpec`; OpenAPI refers to it. */
  readonly definition?: string;
  /** Go's name of the type where a decoding error quotes it, such as `v1.PodSpec`. */
  readonly goType?: string;
  /** Fields of an object with known fields; a `values` schema beside it never occurs. */
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  /** Schema of the values of a map. */
  readonly values?: StructuralSchema;
  /** Schema of the items of an array. */
  readonly items?: StructuralSchema;
  /** List semantics of server-side apply and CEL; absent means atomic. */
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  /** `atomic` for maps and objects that server-side apply replaces whole; absent means granular. */
  readonly mapType?: 'atomic' | 'granular';
  /** Strategic merge: absent means replace for lists and scalars, and merge for objects. */
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  readonly zero?: ZeroValue;
  /** Schema default: filled into an absent field, and used for absent keys of a `map` list. */
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly description?: string;
  /** Structures of a type that reads itself, by JSON type; only beside `any`. Strict decoding does not look inside. */
  readonly alternatives?: SchemaAlternatives;
  /** Unknown fields are kept (raw extensions). */
  readonly preserveUnknown?: boolean;
  /**
   * Expressions see values as the schema declares them, as rules of a definition do: texts of the formats `date-time`, `date`, `duration`
   * and `byte` are values of their types, and a field that is null is absent. It then holds for everything below too.
   */
  readonly isDeclared?: boolean;
}
