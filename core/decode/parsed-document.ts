import type { JsonValue } from '../meta/json.ts';

/** A key that occurred again in one object, after `position` different keys had been read there. */
export interface DuplicateKey {
  readonly key: string;
  readonly position: number;
}

/** What a document said beyond its value; keyed by the very objects and arrays inside that value. */
export interface DocumentNotes {
  readonly duplicateKeys: ReadonlyMap<object, readonly DuplicateKey[]>;
  /** Numbers of whole value that were not written as integers (`1.0`, `1e3`), as they were written, by key or index. */
  readonly numberLiterals: ReadonlyMap<object, ReadonlyMap<string | number, string>>;
}

/** A parsed JSON or YAML body. Of duplicate keys the last value counts; objects are merged, as Go does with structs. */
export interface ParsedDocument {
  readonly value: JsonValue;
  /** Paths such as `spec.containers[0].name`, in the order of the document. */
  readonly duplicates: string[];
  /** Faults of the syntax that only strict decoding reports, worded as Kubernetes does (duplicate keys in YAML). */
  readonly strictFaults?: readonly string[];
  readonly notes: DocumentNotes;
}
