import type { FlowRequest } from './flow-request.ts';
import type { FlowSubject, NonResourcePolicyRule, ResourcePolicyRule } from './schema.ts';

/** How the names of service accounts begin. */
export const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';

type Names = readonly string[] | null | undefined;

/** Whether a list names everything. */
export function isEverything(names: Names): boolean {
  return names?.length === 1 && names[0] === '*';
}

/** Longer lists are looked up in a set, which is made when the list is first asked. */
const LONG_LIST = 32;
const longLists = new WeakMap<readonly string[], ReadonlySet<string>>();

function includes(names: readonly string[], name: string): boolean {
  if (names.length <= LONG_LIST) return names.includes(name);
  let known = longLists.get(names);
  if (known === undefined) {
    known = new Set(names);
    longLists.set(names, known);
  }
  return known.has(name);
}

function covers(names: Names, name: string): boolean {
  return isEverything(names) || includes(names ?? [], name);
}

/** A resource as rules name it: `nodes`, or `nodes/status`. */
export function formatRuleResource({ resource, subresource }: FlowRequest): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/** Who makes a request. */
export interface Requester {
  readonly username: string;
  readonly groups: ReadonlySet<string>;
}

/** Whether a subject is the one who makes a request. */
export function isSubject({ kind, user, group, serviceAccount }: FlowSubject, who: Requester): boolean {
  switch (kind) {
    case 'User':
      return user !== undefined && (user.name === '*' || user.name === who.username);
    case 'Group':
      return group !== undefined && (group.name === '*' || who.groups.has(group.name));
    case 'ServiceAccount': {
      if (serviceAccount === undefined) return false;
      const inNamespace = `${SERVICE_ACCOUNT_PREFIX}${serviceAccount.namespace}:`;
      return serviceAccount.name === '*'
        ? who.username.startsWith(inNamespace)
        : who.username === inNamespace + serviceAccount.name;
    }
    default:
      return false;
  }
}

/** What of a rule does not fit a request: the first of its fields that does not. */
export type RuleMismatch = 'verbs' | 'resources' | 'apiGroups' | 'clusterScope' | 'namespaces' | 'nonResourceURLs';

/** What of a rule does not fit a request for a resource; `undefined` when the rule matches. */
export function findResourceMismatch(rule: ResourcePolicyRule, request: FlowRequest): RuleMismatch | undefined {
  if (!covers(rule.verbs, request.verb)) return 'verbs';
  if (!covers(rule.resources, formatRuleResource(request))) return 'resources';
  if (!covers(rule.apiGroups, request.apiGroup)) return 'apiGroups';
  if (request.namespace === '') return rule.clusterScope === true ? undefined : 'clusterScope';
  return covers(rule.namespaces, request.namespace) ? undefined : 'namespaces';
}

/** The prefix that a rule's URL stands for, besides the URL itself: with a slash at its end. */
function formatPrefix(url: string): string {
  const prefix = url.endsWith('*') ? url.slice(0, -1) : url;
  return prefix.endsWith('/') ? prefix : `${prefix}/`;
}

/** The prefixes of a long list of URLs. */
interface LongPrefixes {
  readonly prefixes: ReadonlySet<string>;
  readonly maxLength: number;
}

const longPrefixes = new WeakMap<readonly string[], LongPrefixes>();

function readPrefixes(urls: readonly string[]): LongPrefixes {
  let known = longPrefixes.get(urls);
  if (known === undefined) {
    const prefixes = new Set(urls.map(formatPrefix));
    let maxLength = 0;
    for (const { length } of prefixes) maxLength = Math.max(maxLength, length);
    known = { prefixes, maxLength };
    longPrefixes.set(urls, known);
  }
  return known;
}

/** Whether one of the URLs stands for what is above a path. */
function hasPrefix(urls: readonly string[], path: string): boolean {
  if (urls.length <= LONG_LIST) return urls.some((url) => path.startsWith(formatPrefix(url)));
  const { prefixes, maxLength } = readPrefixes(urls);
  for (let slash = path.indexOf('/'); slash >= 0 && slash < maxLength; slash = path.indexOf('/', slash + 1)) {
    if (prefixes.has(path.slice(0, slash + 1))) return true;
  }
  return false;
}

/** What of a rule does not fit a request for another URL; `undefined` when the rule matches. A URL stands for all below it too. */
export function findUrlMismatch(rule: NonResourcePolicyRule, { verb, path }: FlowRequest): RuleMismatch | undefined {
  if (!covers(rule.verbs, verb)) return 'verbs';
  const urls = rule.nonResourceURLs ?? [];
  const isCovered = includes(urls, '*') || includes(urls, path) || hasPrefix(urls, path);
  return isCovered ? undefined : 'nonResourceURLs';
}
