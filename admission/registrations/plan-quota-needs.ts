import type { KubeObject } from '../../core/meta/kube-object.ts';
import { formatGroupResource } from '../../core/meta/resource-name.ts';
import { checkDns1123Subdomain } from '../../core/validation/names.ts';
import type { QuotaRequest, UsageEvaluator } from '../../kinds/core/resource-quota/usage-evaluator.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import type { KindRegistry } from '../../kinds/registry.ts';
import type { UsageEvaluators } from '../quota/usage-evaluators.ts';
import { nameEntry } from './plan-registrations.ts';
import type { WebhookRule } from './webhook-configuration.ts';
import type { WebhookNeed } from './webhook-need.ts';

const countPrefix = 'count/';
const probe: KubeObject = { apiVersion: '', kind: '', metadata: {} };

type Operation = QuotaRequest['operation'];

/** Group and resource of `count/deployments.apps`; `undefined` for names of another form. */
function parseCountName(name: string): { group: string; resource: string } | undefined {
  if (!name.startsWith(countPrefix)) return undefined;
  const rest = name.slice(countPrefix.length);
  const dot = rest.indexOf('.');
  return dot < 0 ? { group: '', resource: rest } : { group: rest.slice(dot + 1), resource: rest.slice(0, dot) };
}

/** Quotas that need the same, and where they are. */
interface QuotaGroup {
  readonly names: ReadonlySet<string>;
  readonly scopes: ReadonlySet<string>;
  readonly namespaces: Set<string>;
}

/** There are few kinds of quotas, however many quotas there are. */
function groupQuotas(quotas: readonly ResourceQuota[]): QuotaGroup[] {
  const groups = new Map<string, QuotaGroup>();
  for (const { spec, metadata } of quotas) {
    const names = Object.keys(spec.hard ?? {}).toSorted();
    if (names.length === 0) continue;
    const required = spec.scopeSelector?.matchExpressions ?? [];
    const scopes = [...(spec.scopes ?? []), ...required.map(({ scopeName }) => scopeName)].toSorted();
    const key = JSON.stringify([names, scopes]);
    const group = groups.get(key) ?? { names: new Set(names), scopes: new Set(scopes), namespaces: new Set() };
    group.namespaces.add(metadata.namespace ?? '');
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Whether some write of this sort can use more of a quota: of the object itself, or of its subresource. */
function canCharge(evaluator: UsageEvaluator, operation: Operation, subresource?: string): boolean {
  const request = { operation, object: probe, ...(subresource === undefined ? {} : { subresource }) };
  return evaluator.handles(operation === 'UPDATE' ? { ...request, oldObject: probe } : request);
}

function listOperations(evaluator: UsageEvaluator, groups: readonly QuotaGroup[]): Operation[] {
  const { movableScopes = [] } = evaluator;
  const isMovable = groups.some(({ scopes }) => movableScopes.some((scope) => scopes.has(scope)));
  return [
    ...(canCharge(evaluator, 'CREATE') ? (['CREATE'] as const) : []),
    ...(isMovable || canCharge(evaluator, 'UPDATE') ? (['UPDATE'] as const) : []),
  ];
}

/** What is called `group` here, as the host calls it. */
function findHostGroup(registry: KindRegistry, group: string, resource: string): string {
  const kind = registry.kinds.find((one) => one.group === group && one.plural === resource);
  return kind?.aliasGroup ?? group;
}

function listEvaluators(evaluators: UsageEvaluators, names: ReadonlySet<string>): Set<UsageEvaluator> {
  const known = evaluators.listCountable().map(({ evaluator }) => evaluator);
  const named = [...names].flatMap((name) => {
    const parsed = parseCountName(name);
    return parsed === undefined ? [] : (evaluators.find(parsed.group, parsed.resource) ?? []);
  });
  return new Set([...known, ...named].filter((evaluator) => evaluator.selectResources(names).length > 0));
}

/** A resource that quotas count: what must be asked about, and where. */
interface CountedResource {
  /** As the host calls it: `pods`, `deployments.apps`. */
  readonly name: string;
  readonly rules: readonly WebhookRule[];
  readonly namespaces: ReadonlySet<string>;
}

function describeCounted(
  evaluator: UsageEvaluator,
  groups: readonly QuotaGroup[],
  registry: KindRegistry,
): CountedResource {
  const { group, resource } = evaluator;
  const hostGroup = findHostGroup(registry, group, resource);
  const rule = { apiGroups: [hostGroup], apiVersions: ['*'], scope: 'Namespaced' } as const;
  const operations = listOperations(evaluator, groups);
  const rules: WebhookRule[] = operations.length > 0 ? [{ ...rule, operations, resources: [resource] }] : [];
  if (!canCharge(evaluator, 'UPDATE') && canCharge(evaluator, 'UPDATE', 'resize')) {
    rules.push({ ...rule, operations: ['UPDATE'], resources: [`${resource}/resize`] });
  }
  const namespaces = new Set(groups.flatMap((one) => [...one.namespaces]));
  return { name: formatGroupResource(hostGroup, resource), rules, namespaces };
}

/** More entries would only make the configuration long: what is counted beyond shares one. */
const maxEntries = 16;

function nameNeed(counted: string): string {
  return `${counted}.quota`;
}

function makeNeed(name: string, counted: readonly CountedResource[]): WebhookNeed {
  return {
    type: 'validating',
    name: nameNeed(name),
    path: '/validate/quota',
    failurePolicy: 'Fail',
    rules: counted.flatMap(({ rules }) => rules),
    namespaces: new Set(counted.flatMap(({ namespaces }) => [...namespaces])),
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: 10,
    isSparing: true,
  };
}

/**
 * What the host must ask about for these quotas to be kept: each resource only where a quota counts it. No status is asked about: what its
 * writers report is so already, and nodes must be able to report when no webhook can be asked.
 */
export function planQuotaNeeds(
  quotas: readonly ResourceQuota[],
  evaluators: UsageEvaluators,
  registry: KindRegistry,
): WebhookNeed[] {
  const groups = groupQuotas(quotas);
  const counted = [...listEvaluators(evaluators, new Set(groups.flatMap(({ names }) => [...names])))]
    .map((evaluator) => {
      const concerned = groups.filter(({ names }) => evaluator.selectResources(names).length > 0);
      return describeCounted(evaluator, concerned, registry);
    })
    .filter(({ rules }) => rules.length > 0)
    .toSorted((left, right) => Number(left.name > right.name) - Number(left.name < right.name));
  // A quota may count what could not be the name of an entry.
  const canBeNamed = ({ name }: CountedResource): boolean =>
    checkDns1123Subdomain(nameEntry(nameNeed(name), registry.domain)).length === 0;
  const named = counted.filter(canBeNamed).slice(0, maxEntries);
  const others = counted.filter((one) => !named.includes(one));
  return [
    ...named.map((one) => makeNeed(one.name, [one])),
    ...(others.length === 0 ? [] : [makeNeed('other-resources', others)]),
  ];
}
