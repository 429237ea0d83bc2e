import type { CelVariables } from '../../../core/cel/cel-program.ts';
import type { CelValue } from '../../../core/cel/values/cel-value.ts';
import { toCelValue } from '../../../core/cel/values/json-value.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { formatApiVersion } from '../../../core/meta/resource-name.ts';
import type { StructuralSchema } from '../../../core/schema/structural-schema.ts';
import { type KindName, makeRequestVariable, type NamedKind, type PolicyRequest } from './policy-request.ts';

/** Says how the lists of a kind are compared; `undefined` when nobody knows. */
export type SchemaFinder = (kind: KindName) => StructuralSchema | undefined;

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

/** Values of what a request brings, made once for all the policies that see it in the same way. */
const shownRequests = new WeakMap<NamedKind, CelVariables>();

/** An object as a value; null stays null. */
export function showObject(object: JsonObject | null, kind: KindName, findSchema: SchemaFinder | undefined): CelValue {
  return object === null ? null : toCelValue(object, findSchema?.(kind));
}

/** The variables that a request brings, as the policy matched it. */
export function showRequest(
  request: PolicyRequest,
  matched: NamedKind,
  findSchema: SchemaFinder | undefined,
): CelVariables {
  const known = request === matched ? shownRequests.get(request) : undefined;
  if (known !== undefined) return known;
  const { group, version } = matched.kind;
  const apiVersion = formatApiVersion(group, version);
  const show = (object: JsonObject | null): CelValue =>
    showObject(request === matched || object === null ? object : { ...object, apiVersion }, matched.kind, findSchema);
  const shown: CelVariables = {
    object: show(request.object),
    oldObject: show(request.oldObject),
    request: toCelValue(makeRequestVariable(request, matched)),
  };
  if (request === matched) shownRequests.set(request, shown);
  return shown;
}
