import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { QuotaRequest, UsageEvaluator } from '../../kinds/core/resource-quota/usage-evaluator.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import type { KindRegistry } from '../../kinds/registry.ts';
import type { UsageEvaluators } from '../quota/usage-evaluators.ts';
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

function listScopes({ spec }: ResourceQuota): string[] {
  const required = spec.scopeSelector?.matchExpressions ?? [];
  return [...(spec.scopes ?? []), ...required.map(({ scopeName }) => scopeName)];
}

/** Whether some write of this sort can use more of a quota: of the object itself, or of its subresource. */
function canCharge(evaluator: UsageEvaluator, operation: Operation, subresource?: string): boolean {
  const request = { operation, object: probe, ...(subresource === undefined ? {} : { subresource }) };
  return evaluator.handles(operation === 'UPDATE' ? { ...request, oldObject: probe } : request);
}

function listOperations(evaluator: UsageEvaluator, quotas: readonly ResourceQuota[]): Operation[] {
  const { movableScopes = [] } = evaluator;
  const isMovable =
    movableScopes.length > 0 &&
    quotas.some(
      (quota) =>
        listScopes(quota).some((scope) => movableScopes.includes(scope)) &&
        evaluator.selectResources(Object.keys(quota.spec.hard ?? {})).length > 0,
    );
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

function mergeRules(rules: readonly WebhookRule[]): WebhookRule[] {
  const merged = new Map<string, WebhookRule>();
  for (const rule of rules) {
    const key = JSON.stringify([rule.apiGroups, rule.operations]);
    const resources = [...(merged.get(key)?.resources ?? []), ...rule.resources];
    merged.set(key, { ...rule, resources: [...new Set(resources)].toSorted() });
  }
  return [...merged].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, rule]) => rule);
}

/**
 * What the host must ask about for these quotas to be kept. No status is: what its writers report is so already, and nodes must be able
 * to report when no webhook can be asked.
 */
export function planQuotaNeeds(
  quotas: readonly ResourceQuota[],
  evaluators: UsageEvaluators,
  registry: KindRegistry,
): WebhookNeed[] {
  const limiting = quotas.filter(({ spec }) => Object.keys(spec.hard ?? {}).length > 0);
  const names = new Set(limiting.flatMap(({ spec }) => Object.keys(spec.hard ?? {})));
  const rules: WebhookRule[] = [];
  for (const evaluator of listEvaluators(evaluators, names)) {
    const { group, resource } = evaluator;
    const rule = {
      apiGroups: [findHostGroup(registry, group, resource)],
      apiVersions: ['*'],
      scope: 'Namespaced',
    } as const;
    const operations = listOperations(evaluator, limiting);
    if (operations.length > 0) rules.push({ ...rule, operations, resources: [resource] });
    if (!canCharge(evaluator, 'UPDATE') && canCharge(evaluator, 'UPDATE', 'resize')) {
      rules.push({ ...rule, operations: ['UPDATE'], resources: [`${resource}/resize`] });
    }
  }
  if (rules.length === 0) return [];
  return [
    {
      type: 'validating',
      name: 'quota',
      path: '/validate/quota',
      failurePolicy: 'Fail',
      rules: mergeRules(rules),
      namespaces: new Set(limiting.map(({ metadata }) => metadata.namespace ?? '')),
      sideEffects: 'NoneOnDryRun',
      timeoutSeconds: 10,
    },
  ];
}
