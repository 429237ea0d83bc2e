import type { FlowRequest } from './flow-request.ts';
import { findResourceMismatch, findUrlMismatch, formatRuleResource, isEverything } from './match-rules.ts';
import type { NonResourcePolicyRule, PolicyRules, ResourcePolicyRule } from './schema.ts';

/** A rule with the place of its schema in the order in which schemas are asked. */
interface RankedRule<T> {
  readonly rank: number;
  readonly rule: T;
}

function put<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else if (list.at(-1) !== item) list.push(item);
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

function countResourceKeys({ namespaces, resources }: ResourcePolicyRule): number {
  if (!isEverything(namespaces)) return (namespaces?.length ?? 0) + 1;
  return isEverything(resources) ? 1 : (resources?.length ?? 0);
}

/** How many places an entry of a schema's rules takes in an index, at most. */
export function countKeys({ resourceRules = [], nonResourceRules = [] }: PolicyRules): number {
  return resourceRules.reduce((sum, rule) => sum + countResourceKeys(rule), nonResourceRules.length);
}

/** Rules by the narrowest thing that they name; each list is in the order of the ranks. */
export class RuleIndex {
  readonly #byNamespace = new Map<string, RankedRule<ResourcePolicyRule>[]>();
  /** Those that name resources in every namespace. */
  readonly #byResource = new Map<string, RankedRule<ResourcePolicyRule>[]>();
  readonly #otherResources: RankedRule<ResourcePolicyRule>[] = [];
  readonly #urls: RankedRule<NonResourcePolicyRule>[] = [];

  /** Adds the rules of an entry, whose rank is none lower than those before; yields after each of its `countKeys` places. */
  *add({ resourceRules = [], nonResourceRules = [] }: PolicyRules, rank: number): Generator<undefined, void> {
    for (const rule of resourceRules) yield* this.#addResourceRule({ rank, rule });
    for (const rule of nonResourceRules) {
      this.#urls.push({ rank, rule });
      yield;
    }
  }

  /** The lowest rank below `bound` of a rule that matches, whoever asks; `bound` when there is none. */
  find(request: FlowRequest, bound: number): number {
    if (!request.isResourceRequest) return findBetter(this.#urls, request, bound, findUrlMismatch);
    let best = findBetter(this.#otherResources, request, bound, findResourceMismatch);
    if (this.#byNamespace.size > 0) {
      best = findBetter(this.#byNamespace.get(request.namespace), request, best, findResourceMismatch);
    }
    if (this.#byResource.size > 0) {
      best = findBetter(this.#byResource.get(formatRuleResource(request)), request, best, findResourceMismatch);
    }
    return best;
  }

  *#addResourceRule(ranked: RankedRule<ResourcePolicyRule>): Generator<undefined, void> {
    const { namespaces, resources, clusterScope } = ranked.rule;
    if (!isEverything(namespaces)) {
      for (const namespace of namespaces ?? []) {
        if (namespace !== '') put(this.#byNamespace, namespace, ranked);
        yield;
      }
      if (clusterScope === true) put(this.#byNamespace, '', ranked);
      yield;
    } else if (isEverything(resources)) {
      this.#otherResources.push(ranked);
      yield;
    } else {
      for (const resource of resources ?? []) {
        put(this.#byResource, resource, ranked);
        yield;
      }
    }
  }
}
