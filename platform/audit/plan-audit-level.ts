import type { UserInfo } from '../../core/meta/user-info.ts';
import type { AuditLevel, AuditStage } from './audit-event.ts';
import type { AuditedResources, AuditPolicy, AuditRule } from './audit-policy.ts';

/** What rules look at; the texts are empty where there is none. */
export interface AuditedRequest {
  /** `undefined` when nobody is known to have made it. */
  readonly user: UserInfo | undefined;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly apiGroup: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
}

/** How one request is recorded. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

function matchesPath(path: string, pattern: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''));
}

function namesResource(pattern: string, { resource, subresource }: AuditedRequest): boolean {
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  if (pattern === '*' || pattern === combined) return true;
  if (subresource !== '' && pattern === `*/${subresource}`) return true;
  return pattern === `${resource}/*`;
}

function matchesResources({ group, resources, resourceNames }: AuditedResources, request: AuditedRequest): boolean {
  if (group !== request.apiGroup) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(request.name)) return false;
  return resources.some((pattern) => namesResource(pattern, request));
}

function matchesRule(rule: AuditRule, request: AuditedRequest): boolean {
  const { user } = request;
  if (rule.users.length > 0 && (user === undefined || !rule.users.includes(user.username))) return false;
  if (rule.userGroups.length > 0 && user?.groups.some((group) => rule.userGroups.includes(group)) !== true) {
    return false;
  }
  if (rule.verbs.length > 0 && !rule.verbs.includes(request.verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) {
    if (!request.isResourceRequest) return false;
    if (rule.namespaces.length > 0 && !rule.namespaces.includes(request.namespace)) return false;
    return rule.resources.length === 0 || rule.resources.some((resources) => matchesResources(resources, request));
  }
  if (rule.nonResourceURLs.length > 0) {
    return !request.isResourceRequest && rule.nonResourceURLs.some((pattern) => matchesPath(request.path, pattern));
  }
  return true;
}

/** Says how a request is recorded: as the first rule that matches it has it, and not at all without one. */
export function planAuditLevel(policy: AuditPolicy, request: AuditedRequest): AuditDecision {
  const { omitStages, omitManagedFields } = policy;
  const rule = policy.rules.find((candidate) => matchesRule(candidate, request));
  if (rule === undefined) return { level: 'None', omitStages, omitManagedFields };
  return {
    level: rule.level,
    omitStages: [...omitStages, ...rule.omitStages],
    omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
  };
}
