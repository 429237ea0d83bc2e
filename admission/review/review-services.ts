import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import type { RegisteredKind } from '../../kinds/registry.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { BudgetSource } from '../eviction/budget-source.ts';
import { listAll } from '../list-all.ts';
import type { PolicyDecider } from '../policy/decide-policies.ts';
import type { PolicyIndex } from '../policy/policy-index.ts';
import type { PolicyServices } from '../policy/policy-services.ts';
import type { LimitRangeSource } from '../limits/limit-range-source.ts';
import type { UsageEvaluators } from '../quota/usage-evaluators.ts';

/** A kind whose objects a review may be about. */
export interface ReviewedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** How its objects are decoded, defaulted and prepared; absent: they are taken as they are. */
  readonly definition?: RegisteredKind;
}

const resourceQuotas = { group: '', version: 'v1', resource: 'resourcequotas' };

/** Where reviews find the quotas of a namespace. */
export interface QuotaSource {
  list(namespace: string): Promise<readonly ResourceQuota[]>;
}

/** Reads the quotas anew each time. */
export function readQuotas(client: ResourceClient): QuotaSource {
  return { list: (namespace) => listAll<ResourceQuota>(client, { resource: resourceQuotas, namespace }) };
}

/** The admission policies in force, and how they are decided by. */
export interface ReviewedPolicies {
  readonly services: PolicyServices;
  readonly decider: Pick<PolicyDecider, 'decide'>;
  readonly index: Pick<PolicyIndex, 'listAll'>;
}

/** What there is to know of evictions, and who may know it. */
export interface ReviewedEvictions {
  /** Reads pods, nodes and daemon sets. */
  readonly client: ResourceClient;
  /** The budgets that are enforced, in their newest state. */
  readonly budgets: BudgetSource;
  /** Whether a user may list the pods, or the budgets, of a namespace, or (without one) of all. */
  mayListObjects(user: UserInfo, plural: 'poddisruptionbudgets' | 'pods', namespace?: string): Promise<boolean>;
}

/** What reviews need. */
export interface ReviewServices {
  readonly domain: string;
  readonly clock: Clock;
  /** The limit ranges that are enforced. */
  readonly ranges: LimitRangeSource;
  /** The quotas that are enforced. */
  readonly quotas: QuotaSource;
  readonly evaluators: UsageEvaluators;
  /** Absent where nobody asks about policies. */
  readonly policies?: ReviewedPolicies;
  /** Absent where nobody asks about evictions. */
  readonly evictions?: ReviewedEvictions;
  /** The kind that an object's apiVersion and kind name; `undefined` when nobody serves it. */
  findKind(group: string, version: string, kind: string): Promise<ReviewedKind | undefined>;
  /** Whether refusals bind in a namespace. */
  isEnforced(namespace: string): boolean;
  /** Whether a user may list the kind in a namespace, and so may be told names and amounts. */
  mayList(user: UserInfo, plural: 'limitranges' | 'resourcequotas', namespace: string): Promise<boolean>;
  /** Whether a user may list admission policies, and so may be told what they look at. */
  mayListPolicies?(user: UserInfo): Promise<boolean>;
}

/** A review that was asked: decoded, defaulted and valid by its kind's strategy. */
export interface ReviewCall {
  readonly namespace: string;
  readonly review: KubeObject & JsonObject;
  readonly user: UserInfo;
  /** Whether it may be about objects that live in no namespace. */
  readonly takesClusterScoped?: boolean;
}
