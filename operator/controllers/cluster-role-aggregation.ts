import type { JsonValue } from '../../core/meta/json.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import type { WorkQueue } from '../../platform/kube/work-queue.ts';
import type { CollectionIndex } from '../../platform/resources/collection-index.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { rbacGroup } from '../apiserver/authz/rbac/rbac-objects.ts';
import type { RoleObject } from '../apiserver/authz/rbac/rbac-objects.ts';
import { createControllerQueue, createIndex } from './controller-parts.ts';
import type { Controller, ControllerOptions } from './controller-parts.ts';
import { planAggregatedRules } from './plan-aggregated-rules.ts';

const clusterRoles: ResourceName = { group: rbacGroup, version: 'v1', resource: 'clusterroles' };
const fieldManager = 'clusterrole-aggregation-controller';

/** Aggregation goes through chains (`view` to `edit` to `admin`), one link a round. */
const maxRounds = 10;

/** Writes the rules of every aggregated role whose rules are out of date. Resolves to whether there was one. */
async function aggregateOnce(client: ResourceClient, roles: readonly RoleObject[]): Promise<boolean> {
  let changed = false;
  for (const role of roles) {
    const rules = planAggregatedRules(role, roles);
    if (rules === undefined) continue;
    changed = true;
    const name = role.metadata.name ?? '';
    await client.patch(
      { resource: clusterRoles, name },
      'application/apply-patch+yaml',
      { apiVersion: role.apiVersion, kind: role.kind, metadata: { name }, rules: rules as unknown as JsonValue },
      { fieldManager, force: true },
    );
  }
  return changed;
}

/** Brings all aggregated cluster roles up to date, as they are stored now. */
export async function aggregateClusterRoles(client: ResourceClient): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const { items } = await client.list<RoleObject>({ resource: clusterRoles });
    if (!(await aggregateOnce(client, items))) return;
  }
}

/** Keeps the rules of aggregated cluster roles equal to those of the roles that they select. */
export class ClusterRoleAggregationController implements Controller {
  readonly #roles: CollectionIndex<RoleObject>;
  readonly #queue: WorkQueue;

  constructor(options: ControllerOptions) {
    this.#roles = createIndex<RoleObject>(options, clusterRoles);
    this.#queue = createControllerQueue(options, 'cluster-role-aggregation', () =>
      aggregateClusterRoles(options.client),
    );
    this.#roles.subscribe(() => this.#queue.add('all'));
  }

  async start(): Promise<void> {
    await this.#roles.start();
  }

  async close(): Promise<void> {
    await this.#roles.close();
    await this.#queue.close();
  }
}
