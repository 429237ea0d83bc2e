import type { JsonObject } from '../../../core/meta/json.ts';

/** Members of a Namespace's metadata that expressions do not see. */
const hiddenNamespaceMembers: ReadonlySet<string> = new Set(['managedFields', 'ownerReferences', 'selfLink']);

/** A Namespace as expressions see it. */
export function makeNamespaceVariable(namespace: JsonObject): JsonObject {
  const { metadata, spec, status } = namespace;
  const shown = Object.entries((metadata ?? {}) as JsonObject).filter(([key]) => !hiddenNamespaceMembers.has(key));
  return {
    metadata: Object.fromEntries(shown),
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}
