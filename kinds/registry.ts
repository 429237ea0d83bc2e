import { formatApiVersion } from '../core/meta/resource-name.ts';
import type { KindDefinition } from './kind-definition.ts';
import { limitRangeKind } from './core/limit-range/definition.ts';
import { resourceQuotaKind } from './core/resource-quota/definition.ts';
import { ingressKind } from './networking/ingress/definition.ts';
import { networkPolicyKind } from './networking/network-policy/definition.ts';
import { podDisruptionBudgetKind } from './policy/pod-disruption-budget/definition.ts';
import { flowSchemaKind } from './flowcontrol/flow-schema/definition.ts';
import { priorityLevelConfigurationKind } from './flowcontrol/priority-level-configuration/definition.ts';
import { validatingAdmissionPolicyKind } from './admissionregistration/validating-admission-policy/definition.ts';
import { validatingAdmissionPolicyBindingKind } from './admissionregistration/validating-admission-policy-binding/definition.ts';
import { admissionReviewKind } from './review/admission-review/definition.ts';
import { evictionReviewKind } from './review/eviction-review/definition.ts';
import { flowReviewKind } from './review/flow-review/definition.ts';
import { limitReviewKind } from './review/limit-review/definition.ts';
import { quotaReviewKind } from './review/quota-review/definition.ts';
import { checkpointKind } from './node/checkpoint/definition.ts';
import { workloadKinds } from './workloads/workload-kinds.ts';

/** The nine kinds that Bailiwick defines and enforces. */
export const policyKinds: readonly KindDefinition[] = [
  resourceQuotaKind,
  limitRangeKind,
  networkPolicyKind,
  ingressKind,
  podDisruptionBudgetKind,
  flowSchemaKind,
  priorityLevelConfigurationKind,
  validatingAdmissionPolicyKind,
  validatingAdmissionPolicyBindingKind,
] as unknown as readonly KindDefinition[];

/** The kinds of ours that are asked and answered, and never stored. */
export const ownReviewKinds: readonly KindDefinition[] = [
  quotaReviewKind,
  limitReviewKind,
  evictionReviewKind,
  flowReviewKind,
  admissionReviewKind,
] as unknown as readonly KindDefinition[];

/** The kinds of ours whose objects the agents of nodes hold. */
export const agentKinds: readonly KindDefinition[] = [checkpointKind] as unknown as readonly KindDefinition[];

/** Those of them that are answered on a host. */
export const hostReviewKinds: readonly KindDefinition[] = ownReviewKinds.filter(
  ({ kind }) => kind !== admissionReviewKind.kind,
);

/** A kind with the installation's domain in its groups. */
export interface RegisteredKind extends KindDefinition {
  /** Empty for the core group. */
  readonly group: string;
  /** Second group under which the kind is served; absent when there is none. */
  readonly aliasGroup?: string;
  /** `v1`, or `networking.bailiwick.dev/v1`. */
  readonly apiVersion: string;
}

/** Every kind that is served, and how to find it. */
export interface KindRegistry {
  readonly domain: string;
  /** Those served at this moment; another array after each change. */
  readonly kinds: readonly RegisteredKind[];
  /** By the group of its path, an alias included; `undefined` when there is none. */
  find(group: string, version: string, plural: string): RegisteredKind | undefined;
  /** By the group of an object's apiVersion, an alias included; `undefined` when there is none. */
  findByKind(group: string, version: string, kind: string): RegisteredKind | undefined;
  /** Calls `listener` after each change of `kinds`, until the function that is returned is called. */
  subscribe(listener: () => void): () => void;
}

/** A registry whose users may define kinds of their own. */
export interface DefinableKindRegistry extends KindRegistry {
  /**
   * Serves these kinds beside the built-in ones, in place of those given before, and then calls the listeners. Kinds that are the same
   * object as before stay the same registered kind. Throws when two kinds, or one and a built-in one, share a group, version and name.
   */
  replaceCustomKinds(definitions: readonly KindDefinition[]): void;
}

const HOST_DOMAIN = 'k8s.io';

function resolveGroup(template: string, domain: string): string {
  return template.replaceAll('{domain}', domain);
}

function registerKind(definition: KindDefinition, domain: string): RegisteredKind {
  const group = resolveGroup(definition.groupTemplate, domain);
  const apiVersion = formatApiVersion(group, definition.version);
  if (definition.aliasGroupTemplate === undefined || domain === HOST_DOMAIN)
    return { ...definition, group, apiVersion };
  return { ...definition, group, apiVersion, aliasGroup: resolveGroup(definition.aliasGroupTemplate, domain) };
}

function indexKinds(kinds: readonly RegisteredKind[], nameOf: (kind: RegisteredKind) => string) {
  const index = new Map<string, RegisteredKind>();
  for (const kind of kinds) {
    for (const group of kind.aliasGroup === undefined ? [kind.group] : [kind.group, kind.aliasGroup]) {
      const key = `${group}/${kind.version}/${nameOf(kind)}`;
      if (index.has(key)) throw new Error(`two kinds are registered as ${key}`);
      index.set(key, kind);
    }
  }
  return index;
}

/**
 * The kinds of an installation, or of those that are given. With the domain `k8s.io` the groups are those of Kubernetes, and there are
 * no alias groups. Throws when two kinds share a group, version and name.
 */
export function buildKindRegistry(
  domain: string,
  definitionsBuiltIn: readonly KindDefinition[] = [...policyKinds, ...ownReviewKinds, ...agentKinds, ...workloadKinds],
): DefinableKindRegistry {
  const builtIn = definitionsBuiltIn.map((definition) => registerKind(definition, domain));
  const listeners = new Set<() => void>();
  const custom = new Map<KindDefinition, RegisteredKind>();
  let kinds: readonly RegisteredKind[] = builtIn;
  let byPlural = indexKinds(kinds, (kind) => kind.plural);
  let byKind = indexKinds(kinds, (kind) => kind.kind);
  return {
    domain,
    get kinds() {
      return kinds;
    },
    find: (group, version, plural) => byPlural.get(`${group}/${version}/${plural}`),
    findByKind: (group, version, kind) => byKind.get(`${group}/${version}/${kind}`),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replaceCustomKinds(definitions) {
      const registered = definitions.map((definition) => custom.get(definition) ?? registerKind(definition, domain));
      const all = [...builtIn, ...registered];
      const [plurals, names] = [indexKinds(all, (kind) => kind.plural), indexKinds(all, (kind) => kind.kind)];
      [kinds, byPlural, byKind] = [all, plurals, names];
      custom.clear();
      for (const [i, definition] of definitions.entries()) custom.set(definition, registered[i] as RegisteredKind);
      for (const listener of listeners) listener();
    },
  };
}
