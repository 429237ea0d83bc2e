import type { KubeObject, ObjectMeta } from '../../../core/meta/kube-object.ts';
import { formatGroupResource, type ResourceName } from '../../../core/meta/resource-name.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import {
  formatLabelSelector,
  type LabelSelector,
  matchesLabelSelector,
} from '../../../core/selectors/label-selector.ts';
import type { MatchResources, NamedRule } from '../match-resources.ts';
import { isNamespaceRequest, type NamedKind, type PolicyRequest } from './policy-request.ts';

/** Whether a request is matched, and as what (the request itself, or one of its equivalents); or the first reason why not. `fault`: what could not be found out, which is a misconfiguration. */
export type RequestMatch =
  | { readonly matches: true; readonly as: NamedKind }
  | { readonly matches: false; readonly why: string; readonly fault?: string };

function isEmpty(selector: LabelSelector | undefined): boolean {
  return (
    selector !== undefined &&
    Object.keys(selector.matchLabels ?? {}).length === 0 &&
    (selector.matchExpressions ?? []).length === 0
  );
}

function includesName(list: readonly string[] | undefined, name: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(name));
}

function matchesResource(names: readonly string[], resource: string, subresource: string): boolean {
  return names.some((text) => {
    const slash = text.indexOf('/');
    const name = slash < 0 ? text : text.slice(0, slash);
    const below = slash < 0 ? '' : text.slice(slash + 1);
    return (name === '*' || name === resource) && (below === '*' || below === subresource);
  });
}

function matchesScope(scope: string | undefined, request: PolicyRequest): boolean {
  const isClusterScoped = isNamespaceRequest(request) || request.namespace === '';
  return scope === undefined || scope === '*' || (scope === 'Cluster') === isClusterScoped;
}

function matchesRule(rule: NamedRule, request: PolicyRequest, resource: ResourceName): boolean {
  return matchesScope(rule.scope, request) && matchesNames(rule, request, resource);
}

function matchesNames(rule: NamedRule, request: PolicyRequest, resource: ResourceName): boolean {
  return (
    includesName(rule.operations, request.operation) &&
    includesName(rule.apiGroups, resource.group) &&
    includesName(rule.apiVersions, resource.version) &&
    matchesResource(rule.resources ?? [], resource.resource, request.subresource)
  );
}

function allowsName({ resourceNames = [] }: NamedRule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

function isConverted({ resource, requested }: PolicyRequest): boolean {
  return (
    requested !== undefined &&
    (requested.resource.group !== resource.group || requested.resource.version !== resource.version)
  );
}

/** What rules may name: what the client asked for, and with `Equivalent` whatever else the objects are served as. */
function listNames(matchPolicy: string | undefined, request: PolicyRequest): readonly NamedKind[] {
  const { requested, equivalents } = request;
  if (matchPolicy !== 'Equivalent') return [requested ?? request];
  if (requested !== undefined && isConverted(request)) return [request, requested, ...equivalents];
  return equivalents.length === 0 ? [request] : [request, ...equivalents];
}

/** The name by which rules match a request; `undefined` when none does. */
function matchRules(
  rules: readonly NamedRule[],
  matchPolicy: string | undefined,
  request: PolicyRequest,
): NamedKind | undefined {
  return listNames(matchPolicy, request).find(({ resource }) =>
    rules.some((rule) => matchesRule(rule, request, resource) && allowsName(rule, request.name)),
  );
}

/** As what a policy matches: objects are as the host converted them, which only a policy that takes equivalents can see. */
function matchAs(match: MatchResources, request: PolicyRequest): NamedKind | undefined {
  const { resourceRules = [], matchPolicy } = match;
  if (resourceRules.length === 0) return request;
  const found = matchRules(resourceRules, matchPolicy, request);
  if (found === undefined) return undefined;
  return request.equivalents.includes(found) ? found : request;
}

/** Whether rules name the operation and the resource of a request, or there are none; nothing else is looked at. */
export function canMatchNames({ resourceRules = [], matchPolicy }: MatchResources, request: PolicyRequest): boolean {
  if (resourceRules.length === 0) return true;
  return listNames(matchPolicy, request).some(({ resource }) =>
    resourceRules.some((rule) => matchesNames(rule, request, resource)),
  );
}

/** Whether the namespaceSelector lets a request through that is about something in `namespace`. */
export function matchesNamespaceSelector(
  { namespaceSelector }: MatchResources,
  request: PolicyRequest,
  namespace: KubeObject,
): boolean {
  // What is called so has labels of its own, whatever its group.
  return (
    request.resource.resource === 'namespaces' ||
    matchNamespace(namespaceSelector, request, namespace).why === undefined
  );
}

type SelectorMatch = { readonly why?: string; readonly fault?: string };

/** A Namespace that is written matches by its own labels, everything else by those of its namespace as it is stored. */
function matchNamespace(
  selector: LabelSelector | undefined,
  request: PolicyRequest,
  namespace: KubeObject | undefined,
): SelectorMatch {
  const { resource, subresource, operation, object } = request;
  if (request.namespace === '' && resource.resource !== 'namespaces') return {};
  if (isEmpty(selector)) return {};
  const isWritten =
    resource.resource === 'namespaces' && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
  const labelled = isWritten ? (object as { metadata?: ObjectMeta } | null) : namespace;
  if (labelled === undefined) {
    const fault = `namespaces ${quoteGo(request.namespace)} not found`;
    return { why: fault, fault };
  }
  if (matchesLabelSelector(selector, labelled?.metadata?.labels)) return {};
  return { why: `the namespace does not match namespaceSelector ${formatLabelSelector(selector)}`.trimEnd() };
}

function matchObject(selector: LabelSelector | undefined, { object, oldObject }: PolicyRequest): SelectorMatch {
  if (isEmpty(selector)) return {};
  const isMatched = [object, oldObject].some(
    (one) =>
      one !== null &&
      'metadata' in one &&
      matchesLabelSelector(selector, (one as { metadata?: ObjectMeta }).metadata?.labels),
  );
  if (isMatched) return {};
  return {
    why: `neither the new nor the old object matches objectSelector ${formatLabelSelector(selector)}`.trimEnd(),
  };
}

/** The names of what a request is about, for people: `CREATE of pods/status in v1`. */
function describeRequest({ operation, resource, subresource }: PolicyRequest): string {
  const name = formatGroupResource(resource.group, resource.resource) + (subresource === '' ? '' : `/${subresource}`);
  return `${operation} of ${name}, version ${resource.version}`;
}

/**
 * Whether a request is one that `match` selects. `namespace` is the one that the request's object lives in, or is (`undefined`: there is none);
 * with no resource rules everything is selected that is not excluded.
 */
export function matchRequest(
  match: MatchResources,
  request: PolicyRequest,
  namespace: KubeObject | undefined,
): RequestMatch {
  const { excludeResourceRules = [], matchPolicy } = match;
  const as = matchAs(match, request);
  if (as === undefined) return { matches: false, why: `no rule matches ${describeRequest(request)}` };
  if (matchRules(excludeResourceRules, matchPolicy, request) !== undefined) {
    return { matches: false, why: `an exclude rule matches ${describeRequest(request)}` };
  }
  const byNamespace = matchNamespace(match.namespaceSelector, request, namespace);
  if (byNamespace.why !== undefined && byNamespace.fault === undefined) {
    return { matches: false, why: byNamespace.why };
  }
  const byObject = matchObject(match.objectSelector, request);
  if (byObject.why !== undefined) return { matches: false, why: byObject.why };
  if (byNamespace.fault === undefined) return { matches: true, as };
  return { matches: false, why: byNamespace.fault, fault: byNamespace.fault };
}
