import type { DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import type { KindName } from '../../../kinds/admissionregistration/policy/policy-request.ts';

/** A group and a version, as one text: `apps/v1`, and `/v1` for the core group. */
export type GroupVersion = string;

/** What was known of the schemas of some groups when they were read. */
export interface SchemaSnapshot {
  /** The same as long as no schema of them changes. */
  readonly fingerprint: string;
  /** `undefined` when there is no such resource. */
  findKind(resource: ResourceName): KindName | undefined;
  /** `undefined` when nothing is known of the kind; types with fields are named after `name`. */
  findType(kind: KindName, name: string): DeclaredType | undefined;
}

/** Where the schemas of kinds come from. */
export interface SchemaSource {
  /** Reads what there is of these groups. Throws when it cannot be read. */
  read(groups: readonly GroupVersion[]): Promise<SchemaSnapshot>;
  /** Calls `listener` when schemas that were read have changed. Returns a function that ends this; absent: none ever changes. */
  subscribe?(listener: () => void): () => void;
}

/** The group and version of a resource or a kind. */
export function formatGroupVersion({ group, version }: { group: string; version: string }): GroupVersion {
  return `${group}/${version}`;
}
