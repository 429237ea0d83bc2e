import type { FlowRequest, FlowUser } from './flow-request.ts';
import {
  findResourceMismatch,
  findUrlMismatch,
  formatRuleResource,
  isEverything,
  SERVICE_ACCOUNT_PREFIX,
} from './match-rules.ts';
import type { FlowSchema, FlowSubject, NonResourcePolicyRule, ResourcePolicyRule } from './schema.ts';

/** A rule with the place of its schema in the order in which schemas are asked. */
interface RankedRule<T> {
  readonly rank: number;
  readonly rule: T;
}

/** Rules of one subject, by the narrowest thing that they name; each list is in the order of the ranks. */
interface SubjectRules {
  readonly byNamespace: Map<string, RankedRule<ResourcePolicyRule>[]>;
  /** Those that name resources in every namespace. */
  readonly byResource: Map<string, RankedRule<ResourcePolicyRule>[]>;
  readonly otherResources: RankedRule<ResourcePolicyRule>[];
  readonly urls: RankedRule<NonResourcePolicyRule>[];
}

function put<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function findOrMake(subjects: Map<string, SubjectRules>, key: string): SubjectRules {
  let rules = subjects.get(key);
  if (rules === undefined) {
    rules = { byNamespace: new Map(), byResource: new Map(), otherResources: [], urls: [] };
    subjects.set(key, rules);
  }
  return rules;
}

function addResourceRule(to: SubjectRules, ranked: RankedRule<ResourcePolicyRule>): void {
  const { namespaces, resources, clusterScope } = ranked.rule;
  if (!isEverything(namespaces)) {
    for (const namespace of new Set(namespaces)) if (namespace !== '') put(to.byNamespace, namespace, ranked);
    if (clusterScope === true) put(to.byNamespace, '', ranked);
  } else if (isEverything(resources)) to.otherResources.push(ranked);
  else for (const resource of new Set(resources)) put(to.byResource, resource, ranked);
}

function findBetter<T>(
  rules: readonly RankedRule<T>[] | undefined,
  request: FlowRequest,
  bound: number,
  findMismatch: (rule: T, request: FlowRequest) => unknown,
): number {
  if (rules === undefined) return bound;
  for (const { rank, rule } of rules) {
    if (rank >= bound) return bound;
    if (findMismatch(rule, request) === undefined) return rank;
  }
  return bound;
}

/**
 * Tells which FlowSchema a request belongs to: the first in order that matches. What is asked is what names the caller or everybody, and
 * of that what names the namespace, the resource, or every one; so the time hangs on the groups of the caller rather than on the number of
 * schemas.
 */
export class FlowClassifier<T extends FlowSchema = FlowSchema> {
  /** The schemas in the order in which they are asked. */
  readonly schemas: readonly T[];
  readonly #everybody = new Map<string, SubjectRules>();
  /** Service accounts are users with names of their own. */
  readonly #users = new Map<string, SubjectRules>();
  readonly #groups = new Map<string, SubjectRules>();
  readonly #namespaces = new Map<string, SubjectRules>();
  readonly #fallback: T | undefined;

  /** `schemas` in the order in which they are asked; that named `catch-all` takes what none matches. They must not change afterwards. */
  constructor(schemas: readonly T[]) {
    this.schemas = schemas;
    this.#fallback = schemas.find(({ metadata }) => metadata.name === 'catch-all');
    for (const [rank, { spec }] of schemas.entries()) {
      for (const { subjects, resourceRules = [], nonResourceRules = [] } of spec.rules ?? []) {
        for (const rules of new Set((subjects ?? []).flatMap((subject) => this.#findSubject(subject) ?? []))) {
          for (const rule of resourceRules) addResourceRule(rules, { rank, rule });
          for (const rule of nonResourceRules) rules.urls.push({ rank, rule });
        }
      }
    }
  }

  /** The schema of a request. Throws when none matches and there is no `catch-all`. */
  classify(user: FlowUser, request: FlowRequest): T {
    const { username, groups } = user;
    let best = this.schemas.length;
    best = this.#findIn(this.#everybody.get(''), request, best);
    best = this.#findIn(this.#users.get(username), request, best);
    for (const group of groups) best = this.#findIn(this.#groups.get(group), request, best);
    if (this.#namespaces.size > 0 && username.startsWith(SERVICE_ACCOUNT_PREFIX)) {
      const end = username.indexOf(':', SERVICE_ACCOUNT_PREFIX.length);
      const namespace = end < 0 ? undefined : username.slice(SERVICE_ACCOUNT_PREFIX.length, end);
      if (namespace !== undefined) best = this.#findIn(this.#namespaces.get(namespace), request, best);
    }
    const found = this.schemas[best] ?? this.#fallback;
    if (found === undefined) throw new Error('no flow schema matches, and there is no catch-all');
    return found;
  }

  #findSubject({ kind, user, group, serviceAccount }: FlowSubject): SubjectRules | undefined {
    switch (kind) {
      case 'User':
        if (user === undefined) return undefined;
        return user.name === '*' ? findOrMake(this.#everybody, '') : findOrMake(this.#users, user.name);
      case 'Group':
        if (group === undefined) return undefined;
        return group.name === '*' ? findOrMake(this.#everybody, '') : findOrMake(this.#groups, group.name);
      case 'ServiceAccount': {
        if (serviceAccount === undefined) return undefined;
        const { namespace, name } = serviceAccount;
        if (name === '*') return findOrMake(this.#namespaces, namespace);
        return findOrMake(this.#users, `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`);
      }
      default:
        return undefined;
    }
  }

  #findIn(rules: SubjectRules | undefined, request: FlowRequest, bound: number): number {
    if (rules === undefined) return bound;
    if (!request.isResourceRequest) return findBetter(rules.urls, request, bound, findUrlMismatch);
    let best = findBetter(rules.otherResources, request, bound, findResourceMismatch);
    if (rules.byNamespace.size > 0) {
      best = findBetter(rules.byNamespace.get(request.namespace), request, best, findResourceMismatch);
    }
    if (rules.byResource.size > 0) {
      best = findBetter(rules.byResource.get(formatRuleResource(request)), request, best, findResourceMismatch);
    }
    return best;
  }
}

/** What tells the flows of a schema apart: the user's name, the namespace, or nothing. */
export function distinguishFlow({ spec }: FlowSchema, user: FlowUser, request: FlowRequest): string {
  switch (spec.distinguisherMethod?.type) {
    case 'ByUser':
      return user.username;
    case 'ByNamespace':
      return request.namespace;
    default:
      return '';
  }
}
