import { checkEnforceable } from '../../../admission/check-enforceable.ts';
import { readEnforceableBudgets } from '../../../admission/eviction/budget-source.ts';
import { listAll } from '../../../admission/list-all.ts';
import { UsageEvaluators } from '../../../admission/quota/usage-evaluators.ts';
import type { ReviewServices } from '../../../admission/review/review-services.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { limitRangeKind } from '../../../kinds/core/limit-range/definition.ts';
import { resourceQuotaKind } from '../../../kinds/core/resource-quota/definition.ts';
import type { KindDefinition } from '../../../kinds/kind-definition.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { HostConnection } from '../../../platform/kube/host-connection.ts';
import { HostDiscovery } from '../../../platform/kube/host-discovery.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import type { Logger } from '../../../platform/process/logger.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { Authorizer } from '../../apiserver/authz/authorizer.ts';
import { askMayList, askMayListObjects, findRegisteredKind } from '../../review/create-review-handlers.ts';
import { ExpiringCache } from '../../../platform/process/expiring-cache.ts';

export interface HostReviewOptions {
  readonly connection: HostConnection;
  readonly client: ResourceClient;
  readonly registry: KindRegistry;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether refusals bind in a namespace. */
  readonly isEnforced: (namespace: string) => boolean;
}

/** How long a host is believed to serve what it served. */
const DISCOVERY_MILLIS = 30_000;

/** What reviews need, from a host: what is in force there, read anew for each, and the kinds that it serves. */
export function buildHostReviewServices(options: HostReviewOptions): ReviewServices {
  const { client, registry, authorizer, clock } = options;
  const { domain } = registry;
  const discovery = new HostDiscovery(options);
  const served = new ExpiringCache<typeof discovery.resources>({
    clock,
    maxEntries: 1,
    lifeMillis: () => DISCOVERY_MILLIS,
  });
  function listEnforced<T extends KubeObject>(kind: KindDefinition<T>) {
    const resource = { group: '', version: kind.version, resource: kind.plural };
    return async (namespace: string): Promise<T[]> => {
      const objects = await listAll<T>(client, { resource, namespace });
      const context = { domain, nowMillis: clock.now() };
      return objects.flatMap((object) => checkEnforceable(kind, object, context).object ?? []);
    };
  }
  const findOwn = findRegisteredKind(registry);
  return {
    domain,
    clock,
    ranges: { list: listEnforced(limitRangeKind) },
    quotas: { list: listEnforced(resourceQuotaKind) },
    evaluators: new UsageEvaluators(registry.kinds),
    findKind: async (group, version, kind) => {
      const own = await findOwn(group, version, kind);
      if (own !== undefined) return own;
      const resources = await served.find('resources', async () => {
        await discovery.refresh();
        return discovery.resources;
      });
      const found = resources.find((one) => one.group === group && one.version === version && one.kind === kind);
      return found && { group, version, plural: found.resource, kind, namespaced: found.namespaced };
    },
    isEnforced: options.isEnforced,
    mayList: askMayList(authorizer, `core.${domain}`),
    evictions: {
      client,
      budgets: readEnforceableBudgets(client, { clock, domain }),
      mayListObjects: askMayListObjects(authorizer, `policy.${domain}`),
    },
  };
}
