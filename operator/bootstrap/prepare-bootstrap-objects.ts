import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { rbacGroup } from '../apiserver/authz/rbac/rbac-objects.ts';
import type { BindingObject, RoleObject } from '../apiserver/authz/rbac/rbac-objects.ts';
import { aggregateClusterRoles } from '../controllers/cluster-role-aggregation.ts';
import { buildDefaultClusterRoleBindings, buildDefaultClusterRoles } from './rbac/build-rbac-objects.ts';
import { planBindingReconciliation, planRoleReconciliation } from './rbac/plan-reconciliation.ts';
import type { Reconciliation } from './rbac/plan-reconciliation.ts';

const namespaces: ResourceName = { group: '', version: 'v1', resource: 'namespaces' };
const clusterRoles: ResourceName = { group: rbacGroup, version: 'v1', resource: 'clusterroles' };
const clusterRoleBindings: ResourceName = { group: rbacGroup, version: 'v1', resource: 'clusterrolebindings' };

const systemNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const fieldManager = 'bailiwick';
const maxAttempts = 5;

/** Reads, plans and writes until nothing came in between. */
async function reconcileObject<T extends KubeObject>(
  client: ResourceClient,
  resource: ResourceName,
  expected: T,
  plan: (stored: T | undefined, expected: T) => Reconciliation<T>,
): Promise<void> {
  const name = expected.metadata.name ?? '';
  for (let attempt = 1; ; attempt += 1) {
    const planned = plan(await getIfPresent<T>(client, { resource, name }), expected);
    if (planned.action === 'none') return;
    try {
      if (planned.action === 'update') {
        await client.update({ resource, name }, planned.object, { fieldManager });
      } else {
        if (planned.action === 'replace') await client.delete({ resource, name });
        await client.create({ resource }, planned.object, { fieldManager });
      }
      return;
    } catch (error) {
      const retry = ['AlreadyExists', 'Conflict', 'NotFound'].some((reason) => hasReason(error, reason));
      if (!retry || attempt === maxAttempts) throw error;
    }
  }
}

async function ensureNamespace(client: ResourceClient, name: string): Promise<void> {
  await reconcileObject<KubeObject>(
    client,
    namespaces,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    (stored, expected) => (stored === undefined ? { action: 'create', object: expected } : { action: 'none' }),
  );
}

/**
 * Makes the objects that every installation has: the system namespaces and the default roles and bindings, which are brought up to
 * date where they exist. Runs before the service is ready; `client` acts with every right.
 */
export async function prepareBootstrapObjects(options: {
  readonly client: ResourceClient;
  readonly domain: string;
}): Promise<void> {
  const { client, domain } = options;
  // All at once: the store makes many waiting writes durable together.
  await Promise.all([
    ...systemNamespaces.map((name) => ensureNamespace(client, name)),
    ...buildDefaultClusterRoles(domain).map((role) =>
      reconcileObject<RoleObject>(client, clusterRoles, role, planRoleReconciliation),
    ),
    ...buildDefaultClusterRoleBindings().map((binding) =>
      reconcileObject<BindingObject>(client, clusterRoleBindings, binding, planBindingReconciliation),
    ),
  ]);
  await aggregateClusterRoles(client);
}
