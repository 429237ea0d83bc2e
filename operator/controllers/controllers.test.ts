import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NamespaceLifecycle } from '../../admission/namespace-lifecycle.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { openSqliteStore } from '../../platform/store/sqlite-store.ts';
import type { ObjectStore } from '../../platform/store/object-store.ts';
import { EscalationPlugin } from '../apiserver/authz/rbac/escalation-plugin.ts';
import { RbacAuthorizer } from '../apiserver/authz/rbac/rbac-authorizer.ts';
import { RbacIndex } from '../apiserver/authz/rbac/rbac-index.ts';
import type { RoleObject } from '../apiserver/authz/rbac/rbac-objects.ts';
import { EmbeddedResources } from '../apiserver/pipeline/embedded-resources.ts';
import { prepareBootstrapObjects } from '../bootstrap/prepare-bootstrap-objects.ts';
import { ClusterRoleAggregationController } from './cluster-role-aggregation.ts';
import type { Controller } from './controller-parts.ts';
import { NamespaceController } from './namespace/namespace-controller.ts';
import type { NamespaceObject } from './namespace/namespace-object.ts';
import { namespaceDeletionHold, namespaceFinalizeHandler } from './namespace/namespace-subresources.ts';
import { RootCaPublisher } from './root-ca-publisher.ts';
import { ServiceAccountController } from './service-account-controller.ts';

const domain = 'bailiwick.dev';
const system: UserInfo = { username: 'system:apiserver', groups: ['system:masters'] };

let directory: string;
let store: ObjectStore;
let resources: EmbeddedResources;
let client: ResourceClient;
let index: RbacIndex;
let running: Controller[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'controllers-'));
  store = await openSqliteStore({ file: join(directory, 'store.db') });
  const registry = buildKindRegistry(domain);
  resources = new EmbeddedResources({ store, registry, now: () => systemClock.now() });
  client = resources.clientFor(system);
  index = new RbacIndex(store);
  const authorizer = new RbacAuthorizer(index);
  resources.install({
    plugins: [
      new NamespaceLifecycle(client, (name) => resources.findLatest({ resource: core('namespaces'), name })),
      new EscalationPlugin({ index, authorizer }),
    ],
    handlers: [namespaceFinalizeHandler],
    deletionHolds: [namespaceDeletionHold],
  });
  await prepareBootstrapObjects({ client, domain });
  const options = { client, clock: systemClock, logger: createSilentLogger() };
  const deletable: ResourceName[] = registry.kinds
    .filter((kind) => kind.namespaced && (kind.verbs === undefined || kind.verbs.includes('delete')))
    .map(({ group, version, plural }) => ({ group, version, resource: plural }));
  running = [
    new ServiceAccountController(options),
    new RootCaPublisher({ ...options, authority: 'CA' }),
    new ClusterRoleAggregationController(options),
    new NamespaceController({ ...options, listResources: () => deletable }),
  ];
  for (const controller of running) await controller.start();
});

afterEach(async () => {
  for (const controller of running) await controller.close();
  index.close();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

function core(resource: string): ResourceName {
  return { group: '', version: 'v1', resource };
}

/** Waits until the newest state of a collection satisfies `check`. */
async function waitFor<T extends KubeObject>(
  resource: ResourceName,
  namespace: string | undefined,
  check: (items: T[]) => boolean,
): Promise<T[]> {
  const reference = namespace === undefined ? { resource } : { resource, namespace };
  for (;;) {
    const { items, metadata } = await client.list<T>(reference);
    if (check(items)) return items;
    const controller = new AbortController();
    const watch = client.watch(reference, {
      resourceVersion: metadata.resourceVersion ?? '',
      signal: controller.signal,
    });
    for await (const _event of watch) break;
    controller.abort();
  }
}

async function createNamespace(name: string): Promise<void> {
  await client.create({ resource: core('namespaces') }, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

function configMap(name: string, finalizers?: string[]): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: finalizers === undefined ? { name } : { name, finalizers } };
}

async function refusal(action: Promise<unknown>): Promise<object> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return (error as { status?: object }).status ?? {};
}

describe('a new installation', () => {
  it('has its namespaces, each with its account and its authority', async () => {
    const namespaces = await client.list<NamespaceObject>({ resource: core('namespaces') });
    expect(namespaces.items.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([
      ['default', 'Active'],
      ['kube-node-lease', 'Active'],
      ['kube-public', 'Active'],
      ['kube-system', 'Active'],
    ]);
    await waitFor(core('serviceaccounts'), undefined, (items) => items.length === 4);
    const maps = await waitFor<KubeObject & { data?: object }>(
      core('configmaps'),
      undefined,
      (items) => items.length === 4,
    );
    expect(
      maps.every(
        ({ metadata, data }) => metadata.name === 'kube-root-ca.crt' && JSON.stringify(data) === '{"ca.crt":"CA"}',
      ),
    ).toBe(true);
  });

  it('has aggregated roles with rules, and starts again without a write', async () => {
    const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
    const rulesOf = async (name: string) =>
      (await client.get<RoleObject>({ resource: roles, name })).rules?.length ?? 0;
    expect(await rulesOf('view')).toBeGreaterThan(5);
    expect(await rulesOf('edit')).toBeGreaterThan(await rulesOf('view'));
    expect(await rulesOf('admin')).toBeGreaterThan(await rulesOf('edit'));
    await waitFor(core('configmaps'), undefined, (items) => items.length === 4);
    await waitFor(core('serviceaccounts'), undefined, (items) => items.length === 4);
    const before = store.revision;
    await prepareBootstrapObjects({ client, domain });
    expect(store.revision).toBe(before);
  });

  it('gives new rules to the roles that aggregate them', async () => {
    const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const rule = { verbs: ['get'], apiGroups: ['acme.example'], resources: ['widgets'] };
    const role: RoleObject = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'widgets', labels },
      rules: [rule],
    };
    await client.create({ resource: roles }, role);
    const has = (items: RoleObject[], name: string): boolean =>
      items
        .find((item) => item.metadata.name === name)
        ?.rules?.some((each) => each.apiGroups?.[0] === 'acme.example') ?? false;
    await waitFor<RoleObject>(roles, undefined, (items) => ['view', 'edit', 'admin'].every((name) => has(items, name)));
    await client.delete({ resource: roles, name: 'widgets' });
    await waitFor<RoleObject>(roles, undefined, (items) => !['view', 'edit', 'admin'].some((name) => has(items, name)));
  });
});

describe('a namespace', () => {
  it('gets its account and authority back', async () => {
    await createNamespace('a');
    await waitFor(core('serviceaccounts'), 'a', (items) => items.length === 1);
    await waitFor(core('configmaps'), 'a', (items) => items.length === 1);
    await client.delete({ resource: core('serviceaccounts'), namespace: 'a', name: 'default' });
    await client.delete({ resource: core('configmaps'), namespace: 'a', name: 'kube-root-ca.crt' });
    await waitFor(core('serviceaccounts'), 'a', (items) => items.length === 1);
    await waitFor(core('configmaps'), 'a', (items) => items.length === 1);
  });

  it('is emptied when it is deleted, and goes', async () => {
    await createNamespace('a');
    await client.create({ resource: core('configmaps'), namespace: 'a' }, configMap('one'));
    const deleted = await client.delete<NamespaceObject>({ resource: core('namespaces'), name: 'a' });
    expect(deleted.status?.phase).toBe('Terminating');
    await waitFor(core('namespaces'), undefined, (items) => items.every((item) => item.metadata.name !== 'a'));
    for (const resource of ['configmaps', 'serviceaccounts']) {
      expect((await client.list({ resource: core(resource), namespace: 'a' })).items).toEqual([]);
    }
  });

  it('waits for finalizers, says so, and takes nothing new meanwhile', async () => {
    await createNamespace('a');
    await client.create({ resource: core('configmaps'), namespace: 'a' }, configMap('held', ['acme.example/hold']));
    await client.delete({ resource: core('namespaces'), name: 'a' });
    const [namespace] = (
      await waitFor<NamespaceObject>(core('namespaces'), undefined, (items) =>
        items.some((item) => item.status?.conditions !== undefined),
      )
    ).filter((item) => item.metadata.name === 'a');
    const conditions = Object.fromEntries(
      (namespace?.status?.conditions ?? []).map(({ type, status, reason, message }) => [
        type,
        [status, reason, message],
      ]),
    );
    expect(conditions).toEqual({
      NamespaceDeletionDiscoveryFailure: ['False', 'ResourcesDiscovered', 'All resources successfully discovered'],
      NamespaceDeletionGroupVersionParsingFailure: [
        'False',
        'ParsedGroupVersions',
        'All legacy kube types successfully parsed',
      ],
      NamespaceDeletionContentFailure: [
        'False',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
      ],
      NamespaceContentRemaining: [
        'True',
        'SomeResourcesRemain',
        'Some resources are remaining: configmaps. has 1 resource instances',
      ],
      NamespaceFinalizersRemaining: [
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: acme.example/hold in 1 resource instances',
      ],
    });
    expect(
      await refusal(client.create({ resource: core('configmaps'), namespace: 'a' }, configMap('new'))),
    ).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "new" is forbidden: unable to create new content in namespace a because it is being terminated',
      details: {
        causes: [
          { reason: 'NamespaceTerminating', message: 'namespace a is being terminated', field: 'metadata.namespace' },
        ],
      },
    });
    const held = await client.get({ resource: core('configmaps'), namespace: 'a', name: 'held' });
    await client.update(
      { resource: core('configmaps'), namespace: 'a', name: 'held' },
      { ...held, metadata: { ...held.metadata, finalizers: [] } },
    );
    await waitFor(core('namespaces'), undefined, (items) => items.every((item) => item.metadata.name !== 'a'));
  });

  it('waits for its own finalizers', async () => {
    const finalizing: NamespaceObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'a' },
      spec: { finalizers: ['acme.example/own'] },
    };
    await client.create({ resource: core('namespaces') }, finalizing);
    await client.delete({ resource: core('namespaces'), name: 'a' });
    const [left] = (
      await waitFor<NamespaceObject>(core('namespaces'), undefined, (items) =>
        items.some((item) => item.metadata.name === 'a' && item.spec?.finalizers?.includes('kubernetes') === false),
      )
    ).filter((item) => item.metadata.name === 'a');
    expect(left?.spec?.finalizers).toEqual(['acme.example/own']);
    const reference = { resource: core('namespaces'), name: 'a' };
    await client.update(reference, { ...left, spec: { finalizers: [] } } as NamespaceObject, {}, 'finalize');
    expect(await refusal(client.get(reference))).toMatchObject({ code: 404 });
  });

  it('cannot be written into when it is absent', async () => {
    const creating = client.create({ resource: core('configmaps'), namespace: 'absent' }, configMap('x'));
    expect(await refusal(creating)).toMatchObject({ code: 404, message: 'namespaces "absent" not found' });
  });

  it.for(['default', 'kube-system', 'kube-public'])('%s cannot be deleted', async (name) => {
    expect(await refusal(client.delete({ resource: core('namespaces'), name }))).toMatchObject({
      code: 403,
      message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    });
  });

  it('takes only finalizers that are names', async () => {
    const reference = { resource: core('namespaces'), name: 'default' };
    const stored = await client.get<NamespaceObject>(reference);
    const update = client.update(reference, { ...stored, spec: { finalizers: ['kubernetes', 'own'] } }, {}, 'finalize');
    expect(await refusal(update)).toMatchObject({
      code: 422,
      message:
        'Namespace "default" is invalid: spec.finalizers[1]: Invalid value: "own": name is neither a standard finalizer name nor is it fully qualified',
    });
  });

  it.for([
    ['is being deleted', false, 403],
    ['is gone', true, 404],
  ] as const)('takes no object that was admitted before it %s', async ([, isGone, code]) => {
    await createNamespace('a');
    let deletes = 0;
    resources.install({
      plugins: [
        {
          name: 'Slow',
          handles: ({ name, operation }) => name === 'late' && operation === 'CREATE',
          reserve: async () => {
            deletes += 1;
            await client.delete({ resource: core('namespaces'), name: 'a' });
            if (!isGone) return undefined;
            await waitFor(core('namespaces'), undefined, (items) => items.every((item) => item.metadata.name !== 'a'));
            return undefined;
          },
        },
      ],
    });
    const created = client.create({ resource: core('configmaps'), namespace: 'a' }, configMap('late'));
    expect(await refusal(created)).toMatchObject({ code });
    expect(deletes).toBe(1);
    await waitFor(core('namespaces'), undefined, (items) => items.every((item) => item.metadata.name !== 'a'));
    expect((await store.list('/core/configmaps/a/')).items).toEqual([]);
  });
});

describe('escalation', () => {
  const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' };
  const bindings = { ...roles, resource: 'rolebindings' };
  const ann: UserInfo = { username: 'ann', groups: ['devs', 'system:authenticated'] };
  const grant = (name: string, rules: RoleObject['rules']): RoleObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name, namespace: 'default' },
    rules: rules ?? [],
  });
  const bind = (name: string, kind: string, role: string, user = 'ann'): KubeObject =>
    ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name, namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    }) as KubeObject;
  const pods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

  it('is refused for a role that gives more than its writer has', async () => {
    const asAnn = resources.clientFor(ann);
    const reference = { resource: roles, namespace: 'default' };
    expect(await refusal(asAnn.create(reference, grant('r', [pods])))).toMatchObject({
      code: 403,
      message:
        'roles.rbac.authorization.k8s.io "r" is forbidden: user "ann" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
    });
    await client.create(reference, grant('held', [pods]));
    await client.create({ resource: bindings, namespace: 'default' }, bind('held', 'Role', 'held'));
    expect((await asAnn.create(reference, grant('r', [pods]))).metadata.name).toBe('r');
  });

  it('is allowed by the verb escalate', async () => {
    const rule = { verbs: ['escalate'], apiGroups: [roles.group], resources: ['roles'] };
    await client.create({ resource: roles, namespace: 'default' }, grant('escalator', [rule]));
    await client.create({ resource: bindings, namespace: 'default' }, bind('b', 'Role', 'escalator'));
    const created = await resources
      .clientFor(ann)
      .create({ resource: roles, namespace: 'default' }, grant('r', [pods]));
    expect(created.metadata.name).toBe('r');
  });

  it('is refused for a binding to a role that gives more, unless the verb bind allows it', async () => {
    const asAnn = resources.clientFor(ann);
    const reference = { resource: bindings, namespace: 'default' };
    expect(await refusal(asAnn.create(reference, bind('b', 'ClusterRole', 'view', 'bob')))).toMatchObject({
      code: 403,
    });
    const rule = { verbs: ['bind'], apiGroups: [roles.group], resources: ['clusterroles'], resourceNames: ['view'] };
    await client.create({ resource: roles, namespace: 'default' }, grant('binder', [rule]));
    await client.create(reference, bind('binder', 'Role', 'binder'));
    expect((await asAnn.create(reference, bind('b', 'ClusterRole', 'view', 'bob'))).metadata.name).toBe('b');
    expect(await refusal(asAnn.create(reference, bind('c', 'ClusterRole', 'edit', 'bob')))).toMatchObject({
      code: 403,
    });
    expect(await refusal(asAnn.create(reference, bind('d', 'ClusterRole', 'absent', 'bob')))).toMatchObject({
      code: 404,
      message: 'clusterrole.rbac.authorization.k8s.io "absent" not found',
    });
  });

  it('is not seen in a change of finalizers alone', async () => {
    await client.create({ resource: roles, namespace: 'default' }, grant('r', [pods]));
    const reference = { resource: roles, namespace: 'default', name: 'r' };
    const stored = await client.get<RoleObject>(reference);
    const asAnn = resources.clientFor(ann);
    await asAnn.update(reference, { ...stored, metadata: { ...stored.metadata, finalizers: ['acme.example/x'] } });
    const wider = {
      ...stored,
      rules: [{ ...pods, verbs: ['*'] }],
      metadata: { ...stored.metadata, resourceVersion: '' },
    };
    expect(await refusal(asAnn.update(reference, wider))).toMatchObject({ code: 403 });
  });

  it('needs every right for an aggregation rule', async () => {
    const clusterRoles = { ...roles, resource: 'clusterroles' };
    const role: RoleObject = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'mine' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] },
    };
    expect(await refusal(resources.clientFor(ann).create({ resource: clusterRoles }, role))).toMatchObject({
      code: 403,
      message:
        'clusterroles.rbac.authorization.k8s.io "mine" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    });
  });
});
