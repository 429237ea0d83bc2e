import type { AuthorizationAttributes } from '../../../../core/meta/authorization-attributes.ts';
import type { PolicyRule } from './rbac-objects.ts';

function includesOrAll(values: readonly string[] | undefined, wanted: string): boolean {
  return values !== undefined && (values.includes('*') || values.includes(wanted));
}

function matchesResource(rule: PolicyRule, resource: string, subresource: string | undefined): boolean {
  if (rule.resources === undefined) return false;
  if (subresource === undefined) return includesOrAll(rule.resources, resource);
  return includesOrAll(rule.resources, `${resource}/${subresource}`) || rule.resources.includes(`*/${subresource}`);
}

function matchesName(rule: PolicyRule, name: string | undefined): boolean {
  if (rule.resourceNames === undefined || rule.resourceNames.length === 0) return true;
  return rule.resourceNames.includes(name ?? '');
}

function trimStars(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === '*') end--;
  return pattern.slice(0, end);
}

/** Tells whether the URL pattern of a rule (`*` at its end stands for any rest) matches a path. */
export function matchesUrlPattern(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(trimStars(pattern)));
}

/** Tells whether one rule allows an action, by RBAC's rules of matching. */
export function matchesRule(rule: PolicyRule, attributes: AuthorizationAttributes): boolean {
  if (!includesOrAll(rule.verbs, attributes.verb)) return false;
  if (attributes.type === 'non-resource') {
    return rule.nonResourceURLs?.some((pattern) => matchesUrlPattern(pattern, attributes.path)) ?? false;
  }
  return (
    includesOrAll(rule.apiGroups, attributes.group) &&
    matchesResource(rule, attributes.resource, attributes.subresource) &&
    matchesName(rule, attributes.name)
  );
}
