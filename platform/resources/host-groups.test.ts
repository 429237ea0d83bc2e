import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../core/meta/json.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { findHostApiVersion, findHostRenaming, renameFromHost, renameToHost } from './host-groups.ts';
import type { HostRenaming } from './host-groups.ts';

const registry = buildKindRegistry('example.com');

function find(group: string, resource: string): HostRenaming {
  const renaming = findHostRenaming(registry, { group, version: 'v1', resource });
  if (renaming === undefined) throw new Error(`${resource} is not renamed`);
  return renaming;
}

const quota = find('', 'resourcequotas');
const budget = find('policy', 'poddisruptionbudgets');
const host = 'core.example.com/v1';

describe('findHostRenaming', () => {
  it.for<[string, string, string | undefined]>([
    ['', 'resourcequotas', 'core.example.com'],
    ['', 'limitranges', 'core.example.com'],
    ['policy', 'poddisruptionbudgets', 'policy.example.com'],
    ['core.example.com', 'resourcequotas', undefined],
    ['networking.example.com', 'networkpolicies', undefined],
    ['', 'pods', undefined],
    ['', 'nothings', undefined],
  ])('%s %s is on a host in %s', ([group, resource, expected]) => {
    expect(findHostRenaming(registry, { group, version: 'v1', resource })?.resource.group).toBe(expected);
  });

  it('renames nothing where the groups are those of Kubernetes', () => {
    const plain = buildKindRegistry('k8s.io');
    expect(findHostRenaming(plain, { group: '', version: 'v1', resource: 'resourcequotas' })).toBeUndefined();
  });
});

describe('findHostApiVersion', () => {
  it.for([
    ['v1', 'ResourceQuota', 'core.example.com/v1'],
    ['policy/v1', 'PodDisruptionBudget', 'policy.example.com/v1'],
    ['core.example.com/v1', 'ResourceQuota', 'core.example.com/v1'],
    ['v1', 'Pod', 'v1'],
    ['apps/v1', 'Deployment', 'apps/v1'],
  ] as const)('%s %s is %s', ([apiVersion, kind, expected]) => {
    expect(findHostApiVersion(registry, apiVersion, kind)).toBe(expected);
  });
});

const managed = (apiVersion: string) => ({
  name: 'a',
  ownerReferences: [{ apiVersion: 'v1', kind: 'ResourceQuota', name: 'b', uid: 'u' }],
  managedFields: [
    { manager: 'm', apiVersion },
    { manager: 'n', apiVersion: 'other/v1' },
  ],
});

describe('bodies both ways', () => {
  it.for<[string, JsonValue, JsonValue]>([
    [
      'an object with its managers, but not its owners',
      { apiVersion: 'v1', kind: 'ResourceQuota', metadata: managed('v1') },
      { apiVersion: host, kind: 'ResourceQuota', metadata: managed(host) },
    ],
    [
      'a list',
      {
        apiVersion: 'v1',
        kind: 'ResourceQuotaList',
        metadata: {},
        items: [{ apiVersion: 'v1', kind: 'ResourceQuota' }],
      },
      {
        apiVersion: host,
        kind: 'ResourceQuotaList',
        metadata: {},
        items: [{ apiVersion: host, kind: 'ResourceQuota' }],
      },
    ],
    ['an object that does not say its kind', { apiVersion: 'v1', spec: {} }, { apiVersion: host, spec: {} }],
  ])('rename %s', ([, own, renamed]) => {
    const before = structuredClone(own);
    expect(renameToHost(quota, own)).toEqual(renamed);
    expect(own).toEqual(before);
    expect(renameFromHost(quota, structuredClone(renamed))).toEqual(own);
  });

  it.for<[string, JsonValue]>([
    ['deletion options', { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' } }],
    ['a patch without a type', { spec: { hard: { pods: '1' } } }],
    ['a text', 'x'],
    ['another version', { apiVersion: 'v2', kind: 'ResourceQuota' }],
  ])('leave %s', ([, body]) => {
    expect(renameToHost(quota, body)).toEqual(body);
  });
});

describe('renameToHost', () => {
  it('renames what a JSON patch sets, and nothing else', () => {
    const patch = [
      { op: 'replace', path: '/apiVersion', value: 'v1' },
      { op: 'test', path: '/metadata/name', value: 'v1' },
    ];
    expect(renameToHost(quota, patch)).toEqual([{ ...patch[0], value: host }, patch[1]]);
  });
});

describe('renameFromHost', () => {
  it('renames the objects of a Table, whole and partial, and the Table itself not', () => {
    const table = (apiVersion: string): JsonValue => ({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      rows: [
        { cells: ['a'], object: { apiVersion, kind: 'ResourceQuota', metadata: managed(apiVersion) } },
        {
          cells: ['b'],
          object: { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: managed(apiVersion) },
        },
        { cells: ['c'], object: null },
      ],
    });
    expect(renameFromHost(quota, table(host))).toEqual(table('v1'));
  });

  it.for(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'])('renames the object of an event %s', (type) => {
    const event = (apiVersion: string): JsonValue => ({ type, object: { apiVersion, kind: 'ResourceQuota' } });
    expect(renameFromHost(quota, event(host))).toEqual(event('v1'));
  });

  it.for<[string, HostRenaming, string, string]>([
    ['a resource', quota, 'resourcequotas.core.example.com "a" not found', 'resourcequotas "a" not found'],
    [
      'a kind',
      quota,
      'ResourceQuota.core.example.com "a" is invalid: spec: Required value',
      'ResourceQuota "a" is invalid: spec: Required value',
    ],
    [
      'a resource of a group',
      budget,
      'Operation cannot be fulfilled on poddisruptionbudgets.policy.example.com "a": x',
      'Operation cannot be fulfilled on poddisruptionbudgets.policy "a": x',
    ],
    [
      'nothing in a name that reads like it',
      quota,
      'resourcequotas.core.example.com "resourcequotas.core.example.com" not found',
      'resourcequotas "resourcequotas.core.example.com" not found',
    ],
    ['nothing of other groups', quota, 'pods.core.example.com "a" not found', 'pods.core.example.com "a" not found'],
    [
      'nothing within a longer name',
      quota,
      'xresourcequotas.core.example.com.de is no resourcequotas.core.example.com.de',
      'xresourcequotas.core.example.com.de is no resourcequotas.core.example.com.de',
    ],
  ])('renames %s in the message of a Status', ([, renaming, message, expected]) => {
    const status = (text: string): JsonValue => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, message: text });
    expect(renameFromHost(renaming, status(message))).toEqual(status(expected));
  });

  it('renames the group in the details of a Status, and drops an empty one', () => {
    const status = (details: JsonValue): JsonValue => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, details });
    expect(renameFromHost(quota, status({ name: 'a', group: 'core.example.com', kind: 'resourcequotas' }))).toEqual(
      status({ name: 'a', kind: 'resourcequotas' }),
    );
    expect(renameFromHost(budget, status({ name: 'a', group: 'policy.example.com', kind: 'x' }))).toEqual(
      status({ name: 'a', group: 'policy', kind: 'x' }),
    );
    const error: JsonValue = { type: 'ERROR', object: status({ group: 'core.example.com' }) };
    expect(renameFromHost(quota, error)).toEqual({ type: 'ERROR', object: status({}) });
  });
});
