import { claimUsageEvaluator } from '../../kinds/core/persistent-volume-claim/plan-claim-usage.ts';
import { podUsageEvaluator } from '../../kinds/core/pod/plan-pod-usage.ts';
import { makeObjectCountEvaluator } from '../../kinds/core/resource-quota/plan-object-count.ts';
import type { UsageEvaluator } from '../../kinds/core/resource-quota/usage-evaluator.ts';
import { serviceUsageEvaluator } from '../../kinds/core/service/plan-service-usage.ts';
import { resourceClaimUsageEvaluator } from '../../kinds/resource/resource-claim/plan-resource-claim-usage.ts';

/** A kind that quota can count. */
export interface CountableKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Verbs served; absent means all. */
  readonly verbs?: readonly string[];
}

const ownEvaluators = [
  podUsageEvaluator,
  serviceUsageEvaluator,
  claimUsageEvaluator,
  resourceClaimUsageEvaluator,
] as unknown as readonly UsageEvaluator[];

/** Resources that no quota counts: events by tradition, the others because they are not stored. */
const ignoredResources: ReadonlySet<string> = new Set([
  '/bindings',
  '/componentstatuses',
  '/events',
  'events.k8s.io/events',
  'authentication.k8s.io/tokenreviews',
  'authentication.k8s.io/selfsubjectreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
]);

/** The evaluators of all kinds, by resource. A resource that is not known gets a plain count when it is first asked for. */
export class UsageEvaluators {
  readonly #byResource = new Map<string, UsageEvaluator>();
  #versions: ReadonlyMap<UsageEvaluator, string> = new Map();

  /** `kinds`: all kinds that are served; those that are not namespaced or not listed are left out. */
  constructor(kinds: readonly CountableKind[]) {
    this.replaceKinds(kinds);
  }

  /** Takes other kinds for those that are served. */
  replaceKinds(kinds: readonly CountableKind[]): void {
    const versions = new Map<UsageEvaluator, string>();
    for (const { group, version, plural, namespaced, verbs } of kinds) {
      if (!namespaced || (verbs !== undefined && !(verbs.includes('list') && verbs.includes('create')))) continue;
      const evaluator = this.find(group, plural);
      // The first of several versions is the one that is preferred.
      if (evaluator !== undefined && !versions.has(evaluator)) versions.set(evaluator, version);
    }
    this.#versions = versions;
  }

  /** Evaluators whose objects can be listed, with the version to list them by. */
  listCountable(): { readonly evaluator: UsageEvaluator; readonly version: string }[] {
    return [...this.#versions].map(([evaluator, version]) => ({ evaluator, version }));
  }

  /** The evaluator of a resource; `undefined` for those that no quota counts. */
  find(group: string, resource: string): UsageEvaluator | undefined {
    const key = `${group}/${resource}`;
    if (ignoredResources.has(key)) return undefined;
    let evaluator = this.#byResource.get(key);
    if (evaluator === undefined) {
      evaluator =
        ownEvaluators.find((own) => own.group === group && own.resource === resource) ??
        makeObjectCountEvaluator(group, resource);
      this.#byResource.set(key, evaluator);
    }
    return evaluator;
  }
}
