import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../core/meta/kube-object.ts';
import type { UserInfo } from '../../../../core/meta/user-info.ts';
import type { ObjectStore } from '../../../../platform/store/object-store.ts';
import { openSqliteStore } from '../../../../platform/store/sqlite-store.ts';
import { makeAuthorizationDeniedError } from '../authorization-denied.ts';
import type { AuthorizationAttributes } from '../../../../core/meta/authorization-attributes.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { RbacIndex } from './rbac-index.ts';
import { rbacGroup } from './rbac-objects.ts';
import type { BindingObject, PolicyRule, RoleObject, Subject } from './rbac-objects.ts';

let directory: string;
let store: ObjectStore;
let index: RbacIndex;
let authorizer: RbacAuthorizer;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rbac-'));
  store = await openSqliteStore({ file: join(directory, 'store.db') });
  index = new RbacIndex(store);
  authorizer = new RbacAuthorizer(index);
});

afterEach(async () => {
  index.close();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const plurals: Record<string, string> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};

function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return `/${rbacGroup}/${plurals[object.kind]}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function encode(object: KubeObject): (revision: number) => Buffer {
  return (revision) =>
    Buffer.from(JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }));
}

async function put(object: KubeObject): Promise<void> {
  const key = keyOf(object);
  const stored = store.get(key);
  await store.commit(
    stored === undefined
      ? { type: 'create', key, encode: encode(object) }
      : { type: 'update', key, expectedRevision: stored.revision, encode: encode(object) },
  );
}

async function remove(object: KubeObject): Promise<void> {
  const key = keyOf(object);
  await store.commit({ type: 'delete', key, expectedRevision: store.get(key)?.revision ?? 0, encode: encode(object) });
}

function role(name: string, rules: PolicyRule[], namespace?: string): RoleObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: namespace === undefined ? { name } : { name, namespace },
    rules,
  };
}

function binding(name: string, subjects: Subject[], roleRef: string, namespace?: string): BindingObject {
  const [kind = '', roleName = ''] = roleRef.split('/');
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: namespace === undefined ? { name } : { name, namespace },
    subjects,
    roleRef: { apiGroup: rbacGroup, kind, name: roleName },
  };
}

const ann: UserInfo = { username: 'ann', groups: ['devs', 'system:authenticated'] };
const robot: UserInfo = { username: 'system:serviceaccount:build:robot', groups: ['system:serviceaccounts'] };

/** `verb group/resource/subresource@namespace#name`, or `verb path`; `-` stands for the core group. */
function parseAction(text: string): AuthorizationAttributes {
  const [verb = '', rest = ''] = text.split(' ');
  if (rest.startsWith('/')) return { type: 'non-resource', verb, path: rest };
  const match = /^([^/]*)\/([^/@#]*)(?:\/([^@#]*))?(?:@([^#]*))?(?:#(.*))?$/.exec(rest);
  const [, group = '', resource = '', subresource, namespace, name] = match ?? [];
  return {
    type: 'resource',
    verb,
    group: group === '-' ? '' : group,
    version: 'v1',
    resource,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

describe('what a rule allows', () => {
  const cases: [PolicyRule, string, boolean][] = [
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'get -/pods@a#x', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'list -/pods@a', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'get apps/pods@a#x', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'get -/pods/log@a#x', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }, 'get -/pods/log@a#x', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }, 'get -/pods@a#x', false],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, 'escalate apps/deployments/scale@a#x', true],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, 'get /metrics', false],
    [{ verbs: ['update'], apiGroups: ['*'], resources: ['*/scale'] }, 'update apps/deployments/scale@a#x', true],
    [{ verbs: ['update'], apiGroups: ['*'], resources: ['*/scale'] }, 'update apps/deployments@a#x', false],
    [{ verbs: ['update'], apiGroups: ['*'], resources: ['*/scale'] }, 'update apps/deployments/autoscale@a#x', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'] }, 'get -/pods@a#x', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'] }, 'get -/pods@a#y', false],
    [{ verbs: ['list'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'] }, 'list -/pods@a', false],
    [{ verbs: ['list'], apiGroups: [''], resources: ['pods'], resourceNames: [] }, 'list -/pods@a', true],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }, 'get /metrics', true],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }, 'get /metrics/slis', false],
    [{ verbs: ['get'], nonResourceURLs: ['/api/*'] }, 'get /api/v1', true],
    [{ verbs: ['get'], nonResourceURLs: ['/api/*'] }, 'get /api', false],
    [{ verbs: ['get'], nonResourceURLs: ['*'] }, 'get /anything', true],
    [{ verbs: ['get'], nonResourceURLs: ['*'] }, 'post /anything', false],
    [{ verbs: [], apiGroups: ['*'], resources: ['*'] }, 'get -/pods@a', false],
  ];
  it.for(cases)('%j: %s is %s', async ([rule, action, allowed]) => {
    await put(role('r', [rule]));
    await put(binding('b', [{ kind: 'User', name: 'ann' }], 'ClusterRole/r'));
    expect((await authorizer.authorize(ann, parseAction(action))).allowed).toBe(allowed);
  });
});

describe('who is allowed', () => {
  const rules: PolicyRule[] = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
  const cases: [string, Subject, UserInfo, string | undefined, string, boolean][] = [
    ['a user', { kind: 'User', name: 'ann' }, ann, undefined, 'get -/pods@a', true],
    ['another user', { kind: 'User', name: 'bob' }, ann, undefined, 'get -/pods@a', false],
    ['a group', { kind: 'Group', name: 'devs' }, ann, undefined, 'get -/pods@a', true],
    ['a group of the name of a user', { kind: 'Group', name: 'ann' }, ann, undefined, 'get -/pods@a', false],
    ['a user in the binding of another namespace', { kind: 'User', name: 'ann' }, ann, 'b', 'get -/pods@a', false],
    ['a user in the binding of the namespace', { kind: 'User', name: 'ann' }, ann, 'a', 'get -/pods@a', true],
    ['a role binding for a cluster-wide request', { kind: 'User', name: 'ann' }, ann, 'a', 'get -/pods', false],
    [
      'a service account',
      { kind: 'ServiceAccount', name: 'robot', namespace: 'build' },
      robot,
      undefined,
      'get -/pods@a',
      true,
    ],
    [
      'a service account without a namespace at the cluster scope',
      { kind: 'ServiceAccount', name: 'robot' },
      robot,
      undefined,
      'get -/pods@a',
      false,
    ],
    [
      'a service account of the binding’s own namespace',
      { kind: 'ServiceAccount', name: 'robot' },
      robot,
      'build',
      'get -/pods@build',
      true,
    ],
    ['a subject of an unknown kind', { kind: 'Team', name: 'devs' }, ann, undefined, 'get -/pods@a', false],
    ['a key of every object', { kind: 'User', name: '__proto__' }, ann, undefined, 'get -/pods@a', false],
  ];
  it.for(cases)('%s', async ([, subject, user, namespace, action, allowed]) => {
    await put(role('r', rules));
    await put(binding('b', [subject], 'ClusterRole/r', namespace));
    expect((await authorizer.authorize(user, parseAction(action))).allowed).toBe(allowed);
  });

  it('lets system:masters do everything, without any role', async () => {
    const master = { username: 'root', groups: ['system:masters'] };
    expect(await authorizer.authorize(master, parseAction('delete -/nodes#x'))).toEqual({ allowed: true, reason: '' });
  });
});

describe('the reason', () => {
  const rules: PolicyRule[] = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];

  it('names the cluster role binding', async () => {
    await put(role('r', rules));
    await put(binding('b', [{ kind: 'Group', name: 'devs' }], 'ClusterRole/r'));
    const { reason } = await authorizer.authorize(ann, parseAction('get -/pods@a'));
    expect(reason).toBe('RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "devs"');
  });

  it('names the role binding', async () => {
    await put(role('r', rules, 'build'));
    await put(binding('b', [{ kind: 'ServiceAccount', name: 'robot' }], 'Role/r', 'build'));
    const { reason } = await authorizer.authorize(robot, parseAction('get -/pods@build'));
    expect(reason).toBe('RBAC: allowed by RoleBinding "b/build" of Role "r" to ServiceAccount "robot/build"');
  });

  it('names a role that is missing', async () => {
    await put(binding('b', [{ kind: 'User', name: 'ann' }], 'ClusterRole/r'));
    const { allowed, reason } = await authorizer.authorize(ann, parseAction('get -/pods@a'));
    expect(allowed).toBe(false);
    expect(reason).toBe('RBAC: clusterrole.rbac.authorization.k8s.io "r" not found');
  });
});

describe('writes are in effect for the next request', () => {
  const rules: PolicyRule[] = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
  const action = parseAction('get -/pods@a');
  const isAllowed = async (): Promise<boolean> => (await authorizer.authorize(ann, action)).allowed;

  it('follows every change of roles and bindings', async () => {
    const subject = { kind: 'User', name: 'ann' };
    expect(await isAllowed()).toBe(false);
    await put(role('r', rules));
    expect(await isAllowed()).toBe(false);
    await put(binding('b', [subject], 'ClusterRole/r'));
    expect(await isAllowed()).toBe(true);
    await put(role('r', []));
    expect(await isAllowed()).toBe(false);
    await put(role('r', rules));
    expect(await isAllowed()).toBe(true);
    await put(binding('b', [{ kind: 'User', name: 'bob' }], 'ClusterRole/r'));
    expect(await isAllowed()).toBe(false);
    await put(binding('b', [subject], 'ClusterRole/r'));
    expect(await isAllowed()).toBe(true);
    await remove(role('r', rules));
    expect(await isAllowed()).toBe(false);
  });

  it('keeps up with many writers at once', async () => {
    await put(role('r', rules));
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const subject = { kind: 'User', name: `u${i}` };
        await put(binding(`b${i}`, [subject], 'ClusterRole/r'));
        const before = (await authorizer.authorize({ username: `u${i}`, groups: [] }, action)).allowed;
        await remove(binding(`b${i}`, [subject], 'ClusterRole/r'));
        const after = (await authorizer.authorize({ username: `u${i}`, groups: [] }, action)).allowed;
        return [before, after];
      }),
    );
    expect(outcomes.every(([before, after]) => before === true && after === false)).toBe(true);
  });
});

describe('makeAuthorizationDeniedError', () => {
  const cases: [string, string, string][] = [
    [
      'list -/pods@y',
      '',
      'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "y"',
    ],
    [
      'get apps/deployments/scale@y#d',
      '',
      'deployments.apps "d" is forbidden: User "ann" cannot get resource "deployments/scale" in API group "apps" in the namespace "y"',
    ],
    [
      'delete -/nodes#n',
      '',
      'nodes "n" is forbidden: User "ann" cannot delete resource "nodes" in API group "" at the cluster scope',
    ],
    ['get /metrics', '', 'forbidden: User "ann" cannot get path "/metrics"'],
    [
      'list -/pods@y',
      'RBAC: no role',
      'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "y": RBAC: no role',
    ],
    ['get /<b>&', '', 'forbidden: User "ann" cannot get path "/&lt;b&gt;&amp;"'],
  ];
  it.for(cases)('%s (%s)', ([action, reason, message]) => {
    const { status } = makeAuthorizationDeniedError(ann, parseAction(action), reason);
    expect(status).toMatchObject({ code: 403, reason: 'Forbidden', message });
  });
});
