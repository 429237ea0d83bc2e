import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { AuthorizationAttributes } from '../../../core/meta/authorization-attributes.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import { impersonate } from './impersonate.ts';
import type { DistinctHeaders } from './authenticator.ts';

const ann: UserInfo = { username: 'ann', groups: ['system:authenticated'] };

/** Allows everything but the given resources, and keeps what it was asked. */
class RecordingAuthorizer implements Authorizer {
  readonly asked: AuthorizationAttributes[] = [];
  readonly #denied: string;

  constructor(denied = '') {
    this.#denied = denied;
  }

  async authorize(_user: UserInfo, attributes: AuthorizationAttributes): Promise<{ allowed: boolean; reason: string }> {
    this.asked.push(attributes);
    return { allowed: attributes.type !== 'resource' || attributes.resource !== this.#denied, reason: '' };
  }
}

describe('impersonate', () => {
  const cases: [string, DistinctHeaders, UserInfo][] = [
    ['nobody', {}, ann],
    ['a user', { 'impersonate-user': ['bob'] }, { username: 'bob', groups: ['system:authenticated'], extra: {} }],
    [
      'a user in groups',
      { 'impersonate-user': ['bob'], 'impersonate-group': ['a', 'b'] },
      { username: 'bob', groups: ['a', 'b', 'system:authenticated'], extra: {} },
    ],
    [
      'a user in a group for those without an identity',
      { 'impersonate-user': ['bob'], 'impersonate-group': ['system:unauthenticated'] },
      { username: 'bob', groups: ['system:unauthenticated'], extra: {} },
    ],
    [
      'the anonymous user',
      { 'impersonate-user': ['system:anonymous'] },
      { username: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} },
    ],
    [
      'a service account',
      { 'impersonate-user': ['system:serviceaccount:build:robot'] },
      {
        username: 'system:serviceaccount:build:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:build', 'system:authenticated'],
        extra: {},
      },
    ],
    [
      'a service account in groups of its own',
      { 'impersonate-user': ['system:serviceaccount:build:robot'], 'impersonate-group': ['a'] },
      { username: 'system:serviceaccount:build:robot', groups: ['a', 'system:authenticated'], extra: {} },
    ],
    [
      'a user with uid and extra',
      {
        'impersonate-user': ['bob'],
        'impersonate-uid': ['7'],
        'impersonate-extra-scopes': ['x', 'y'],
        'impersonate-extra-acme.com%2fteam': ['z'],
      },
      {
        username: 'bob',
        uid: '7',
        groups: ['system:authenticated'],
        extra: { scopes: ['x', 'y'], 'acme.com/team': ['z'] },
      },
    ],
  ];
  it.for(cases)('acts as %s', async ([, headers, expected]) => {
    expect(await impersonate(ann, headers, new RecordingAuthorizer())).toEqual(expected);
  });

  it('asks for the right to each thing', async () => {
    const authorizer = new RecordingAuthorizer();
    const headers = {
      'impersonate-user': ['system:serviceaccount:build:robot'],
      'impersonate-group': ['a'],
      'impersonate-uid': ['7'],
      'impersonate-extra-scopes': ['x'],
    };
    await impersonate(ann, headers, authorizer);
    const common = { type: 'resource', verb: 'impersonate', version: 'v1' };
    expect(authorizer.asked).toEqual([
      { ...common, group: '', resource: 'serviceaccounts', namespace: 'build', name: 'robot' },
      { ...common, group: '', resource: 'groups', name: 'a' },
      { ...common, group: 'authentication.k8s.io', resource: 'userextras', subresource: 'scopes', name: 'x' },
      { ...common, group: 'authentication.k8s.io', resource: 'uids', name: '7' },
    ]);
  });

  it.for<[string, DistinctHeaders, string]>([
    [
      'users',
      { 'impersonate-user': ['bob'] },
      'users "bob" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    ],
    [
      'groups',
      { 'impersonate-user': ['bob'], 'impersonate-group': ['system:masters'] },
      'groups "system:masters" is forbidden: User "ann" cannot impersonate resource "groups" in API group "" at the cluster scope',
    ],
    [
      'userextras',
      { 'impersonate-user': ['bob'], 'impersonate-extra-s': ['x'] },
      'userextras.authentication.k8s.io "x" is forbidden: User "ann" cannot impersonate resource "userextras/s" in API group "authentication.k8s.io" at the cluster scope',
    ],
  ])('refuses what it may not: %s', async ([denied, headers, message]) => {
    await expect(impersonate(ann, headers, new RecordingAuthorizer(denied))).rejects.toThrow(message);
  });

  it('needs a user', async () => {
    const acting = impersonate(ann, { 'impersonate-group': ['x'] }, new RecordingAuthorizer());
    await expect(acting).rejects.toThrow('requested [{Group  x    }] without impersonating a user');
  });
});
