import type { StructuralSchema } from '../../../core/schema/structural-schema.ts';
import type { KindDefinition } from '../../../kinds/kind-definition.ts';

/** The kind that an endpoint expects. */
export interface ExpectedKind extends Pick<KindDefinition, 'decode'> {
  readonly apiVersion: string;
  readonly kind: string;
  /** Other apiVersions that bodies of the same structure may bear; absent: none. */
  readonly olderApiVersions?: readonly string[];
  readonly schema: StructuralSchema;
  /** Tells whether a kind is served at all, which decides on the wording for a body of the wrong kind. */
  isServed(group: string, version: string, kind: string): boolean;
  /** How another kind is decoded, whose own faults are told first; absent, or `undefined` for a kind: not at all. */
  findKind?(group: string, version: string, kind: string): Pick<KindDefinition, 'schema' | 'decode'> | undefined;
}
