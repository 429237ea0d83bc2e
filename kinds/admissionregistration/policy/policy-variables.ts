import type { CelVariables } from '../../../core/cel/cel-program.ts';
import { makeAuthorizer, makeRequestResource } from '../../../core/cel/libraries/authorizer/authorizer-values.ts';
import type { Permissions } from '../../../core/cel/libraries/authorizer/permission.ts';
import type { CelValue } from '../../../core/cel/values/cel-value.ts';
import { toCelValue } from '../../../core/cel/values/json-value.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { formatApiVersion, parseApiVersion } from '../../../core/meta/resource-name.ts';
import type { StructuralSchema } from '../../../core/schema/structural-schema.ts';
import type { ParamKind } from '../validating-admission-policy/schema.ts';
import { noVariables } from './phase-evaluator.ts';
import { type KindName, makeRequestVariable, type NamedKind, type PolicyRequest } from './policy-request.ts';

/** Says how the lists of a kind are compared; `undefined` when nobody knows. */
export type SchemaFinder = (kind: KindName) => StructuralSchema | undefined;

/** Values of what a request brings, made once for all the policies that see it in the same way. */
const shownRequests = new WeakMap<NamedKind, CelVariables>();

/** An object as a value; null stays null. */
function showObject(object: JsonObject | null, kind: KindName, findSchema: SchemaFinder | undefined): CelValue {
  return object === null ? null : toCelValue(object, findSchema?.(kind));
}

/** The variables that a request brings, as the policy matched it. */
function showRequest(request: PolicyRequest, matched: NamedKind, findSchema: SchemaFinder | undefined): CelVariables {
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

/** The variables of an evaluation, without and with what only validations may use. */
export interface ShownInput {
  readonly variables: CelVariables;
  readonly authorized: CelVariables;
}

/** What an evaluation is about, but for its policy. */
export interface ShownFacts {
  readonly request: PolicyRequest;
  readonly matched: NamedKind;
  /** Null when there is none; `paramKind` is then of no account. */
  readonly param: JsonObject | null;
  readonly paramKind: ParamKind | undefined;
  /** Null for cluster-scoped objects. */
  readonly namespaceObject: JsonObject | null;
  /** What authorization said so far. */
  readonly permissions: Permissions;
}

/** What was shown last of a request without parameters: most policies see the same. */
const shownInputs = new WeakMap<PolicyRequest, ShownFacts & ShownInput>();

/** The variables of one evaluation; `variables`, the composed ones, are none yet. */
export function showInput(facts: ShownFacts, findSchema: SchemaFinder | undefined): ShownInput {
  const { request, param, namespaceObject, matched, permissions } = facts;
  const isCommon = param === null && matched === request;
  const known = isCommon ? shownInputs.get(request) : undefined;
  if (known?.namespaceObject === namespaceObject && known.permissions === permissions) return known;
  const { apiVersion = '', kind = '' } = facts.paramKind ?? {};
  const paramKind = { ...(parseApiVersion(apiVersion) ?? { group: '', version: '' }), kind };
  const variables: CelVariables = {
    ...showRequest(request, matched, findSchema),
    namespaceObject: namespaceObject === null ? null : toCelValue(namespaceObject),
    params: showObject(param, paramKind, findSchema),
    variables: noVariables,
  };
  const { user, resource, subresource, namespace, name } = request;
  const authorized: CelVariables = {
    ...variables,
    authorizer: makeAuthorizer(user, permissions),
    'authorizer.requestResource': makeRequestResource(user, permissions, {
      group: resource.group,
      resource: resource.resource,
      subresource,
      namespace,
      name,
    }),
  };
  const shown = { ...facts, variables, authorized };
  if (isCommon) shownInputs.set(request, shown);
  return shown;
}
