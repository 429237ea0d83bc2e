import type { MatchResources, NamedRule } from '../../kinds/admissionregistration/match-resources.ts';
import type { WebhookRule } from './webhook-configuration.ts';

const all = '*';

/** `pods/*` as its two parts; the second is empty for a resource without subresources. */
function splitResource(pattern: string): [resource: string, subresource: string] {
  const slash = pattern.indexOf('/');
  return slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
}

/** What both patterns match; `undefined` when there is nothing. */
function intersectParts(left: string, right: string): string | undefined {
  if (left === right || right === all) return left;
  return left === all ? right : undefined;
}

function intersectResource(left: string, right: string): string | undefined {
  const [a, b] = [splitResource(left), splitResource(right)];
  const resource = intersectParts(a[0], b[0]);
  const subresource = intersectParts(a[1], b[1]);
  if (resource === undefined || subresource === undefined) return undefined;
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/** The patterns but for those that another one covers: a host refuses rules that say a thing twice. */
function dropCovered(patterns: readonly string[]): string[] {
  const unique = [...new Set(patterns)];
  return unique.filter((one) => !unique.some((other) => other !== one && intersectResource(one, other) === one));
}

function intersectResources(left: readonly string[], right: readonly string[]): string[] {
  return dropCovered(left.flatMap((a) => right.flatMap((b) => intersectResource(a, b) ?? [])));
}

function intersectLists(left: readonly string[], right: readonly string[]): readonly string[] {
  if (right.includes(all)) return left;
  return left.includes(all) ? right : left.filter((one) => right.includes(one));
}

function intersectScopes(left: string, right: string): WebhookRule['scope'] | undefined {
  return intersectParts(left, right) as WebhookRule['scope'] | undefined;
}

/** A rule with lists that may be empty, for which it says nothing yet. */
interface FullRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
}

function fillRule({ operations = [], apiGroups = [], apiVersions = [], resources = [], scope }: NamedRule): FullRule {
  return { operations, apiGroups, apiVersions, resources, scope: scope ?? all };
}

function intersect(rule: FullRule, narrowing: FullRule, isEquivalent: boolean): WebhookRule | undefined {
  const operations = intersectLists(rule.operations, narrowing.operations);
  const shared = intersectLists(rule.apiGroups, narrowing.apiGroups);
  // The same objects may be served under another group.
  const apiGroups = shared.length === 0 && isEquivalent ? rule.apiGroups : shared;
  const resources = intersectResources(rule.resources, narrowing.resources);
  const scope = intersectScopes(rule.scope, narrowing.scope);
  if ([operations, apiGroups, resources].some((list) => list.length === 0) || scope === undefined) return undefined;
  // Versions are those of the policy: they decide what its expressions are shown.
  return {
    operations: operations as WebhookRule['operations'],
    apiGroups,
    apiVersions: rule.apiVersions,
    resources,
    scope,
  };
}

const everything: FullRule = {
  operations: [all],
  apiGroups: [all],
  apiVersions: [all],
  resources: ['*/*'],
  scope: all,
};

/** Rules for a host's webhook that match whatever a policy and its binding both may; names of objects and exclusions are left to them. */
export function intersectRules(policy: MatchResources, binding: MatchResources | undefined): WebhookRule[] {
  const narrowings = binding?.resourceRules ?? [];
  const isEquivalent = binding?.matchPolicy !== 'Exact';
  return (policy.resourceRules ?? []).flatMap((rule) => {
    const full = fillRule(rule);
    const others = narrowings.length === 0 ? [everything] : narrowings.map(fillRule);
    return others.flatMap((other) => intersect(full, other, isEquivalent) ?? []);
  });
}
