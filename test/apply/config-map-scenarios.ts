import type { ApplyScenario, ApplyStep } from './apply-scenario.ts';

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  definition: 'io.k8s.api.core.v1.ConfigMap',
} as const;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function makeClientSideConfiguration(data: Record<string, string>): unknown {
  const configuration = { apiVersion: 'v1', data, kind: 'ConfigMap', metadata: { name: 'csa' } };
  return { metadata: { annotations: { [LAST_APPLIED]: `${JSON.stringify(configuration)}\n` } }, data };
}

/** The entry of the manager `creator`, which is put first: a server orders by time, in whole seconds, and so not always alike. */
// oxlint-disable-next-line typescript/no-explicit-any -- as the client sends it
function pickCreator({ metadata }: any): any {
  const entries = metadata.managedFields as { manager: string }[];
  const picked = entries.find(({ manager }) => manager === 'creator');
  metadata.managedFields = [picked, ...entries.filter((entry) => entry !== picked)];
  return picked;
}

/** Ownership, resets, the cap, appliers, refusals and client-side apply, on a kind without a structure of its own. */
export const configMapScenarios: readonly ApplyScenario[] = [
  {
    ...configMap,
    title: 'updates and patches move fields to who changed them',
    name: 'moves',
    steps: [
      {
        verb: 'create',
        manager: 'creator',
        body: { metadata: { labels: { a: '1', b: '1' } }, data: { x: '1', y: '1' } },
      },
      { verb: 'merge', manager: 'patcher', body: { data: { x: '2', z: '1' } } },
      { verb: 'merge', manager: 'patcher', body: { data: { x: '2' } } },
      { verb: 'update', manager: 'updater', edit: (o) => delete o.data.y },
      { verb: 'json', manager: 'patcher', body: [{ op: 'remove', path: '/metadata/labels' }] },
      { verb: 'strategic', manager: 'third', body: { metadata: { finalizers: ['example.com/a', 'example.com/b'] } } },
      {
        verb: 'strategic',
        manager: 'fourth',
        body: { metadata: { $setElementOrder: undefined, finalizers: ['example.com/c'] } },
      },
      { verb: 'update', manager: 'creator', edit: (o) => (o.metadata.finalizers = ['example.com/c']) },
      { verb: 'update', manager: 'creator', edit: (o) => delete o.metadata.managedFields },
      { verb: 'merge', manager: 'last', body: { metadata: { finalizers: null }, data: { x: '3', z: '3' } } },
      { verb: 'update', manager: 'last', edit: (o) => delete o.data },
    ],
  },
  {
    ...configMap,
    title: 'a client edits and resets managedFields',
    name: 'resets',
    steps: [
      { verb: 'create', manager: 'creator', body: { data: { x: '1', y: '1' } } },
      { verb: 'merge', manager: 'b', body: { data: { z: '1' } } },
      {
        verb: 'update',
        manager: 'c',
        edit: (o) => {
          o.metadata.managedFields = [pickCreator(o)];
        },
      },
      {
        verb: 'update',
        manager: 'c',
        edit: (o) => {
          pickCreator(o).fieldsV1 = { 'f:data': { 'f:y': {}, 'f:gone': {} } };
          o.data.x = '2';
        },
      },
      { verb: 'update', manager: 'c', edit: (o) => (pickCreator(o).operation = 'Bogus') },
      { verb: 'update', manager: 'c', edit: (o) => (pickCreator(o).apiVersion = 'v9') },
      { verb: 'update', manager: 'd', edit: (o) => ((o.metadata.managedFields = [{}]), (o.data.x = '4')) },
      { verb: 'merge', manager: 'e', body: { data: { x: '5' } } },
      { verb: 'apply', manager: 'f', body: { data: { y: '1', x: '6' } } },
      { verb: 'apply', manager: 'f', force: true, body: { data: { y: '1', x: '6' } } },
      { verb: 'update', manager: 'd', edit: (o) => (o.metadata.managedFields = []) },
    ],
  },
  {
    ...configMap,
    title: 'the twelfth update manager pushes the oldest into ancient-changes',
    name: 'ancient',
    steps: [
      { verb: 'create', manager: 'm0', body: { data: { k0: '0' } } },
      ...Array.from({ length: 13 }, (_, i): ApplyStep => ({
        verb: 'merge',
        manager: `m${i + 1}`,
        body: { data: { [`k${i + 1}`]: '1' } },
      })),
    ],
  },
  {
    ...configMap,
    title: 'several appliers share, drop, take and keep fields',
    name: 'appliers',
    steps: [
      { verb: 'apply', manager: 'one', body: { metadata: { labels: { a: '1', b: '1' } }, data: { x: '1', y: '1' } } },
      { verb: 'apply', manager: 'one', body: { metadata: { labels: { a: '1', b: '1' } }, data: { x: '1', y: '1' } } },
      { verb: 'apply', manager: 'two', body: { metadata: { labels: { b: '1' } }, data: { y: '1' } } },
      { verb: 'apply', manager: 'two', body: { data: { x: '2', y: '2' } } },
      { verb: 'apply', manager: 'two', force: true, body: { data: { x: '2' } } },
      { verb: 'apply', manager: 'one', body: { metadata: { labels: { a: '1' } }, data: { y: '1' } } },
      { verb: 'apply', manager: 'one', body: { metadata: { labels: {} } } },
      { verb: 'apply', manager: 'two', body: { data: null } },
      { verb: 'merge', manager: 'hand', body: { data: { h: '1' } } },
      { verb: 'apply', manager: 'one', body: {} },
      { verb: 'apply', manager: 'one', body: { data: { h: '1' }, binaryData: { b: 'YQ==' }, immutable: false } },
      { verb: 'apply', manager: 'one', body: { data: { h: '2' } } },
    ],
  },
  {
    ...configMap,
    title: 'configurations that are refused',
    name: 'refused',
    steps: [
      { verb: 'create', manager: 'creator', body: { data: { x: '1' } } },
      { verb: 'apply', manager: 'a', body: { bogus: 1 } },
      { verb: 'apply', manager: 'a', body: { data: { x: 1 } } },
      { verb: 'apply', manager: 'a', body: { data: ['x'] } },
      { verb: 'apply', manager: 'a', body: { data: 'x' } },
      { verb: 'apply', manager: 'a', body: { immutable: 'x' } },
      { verb: 'apply', manager: 'a', body: { data: { x: { y: ['z', 1.5, true] } } } },
      { verb: 'apply', manager: 'a', body: { metadata: { managedFields: [] }, data: { x: '1' } } },
      { verb: 'apply', manager: 'a', body: { metadata: { managedFields: [{ manager: 'a' }] } } },
      { verb: 'apply', manager: 'a', body: { metadata: { finalizers: ['example.com/a', 'example.com/a'] } } },
      { verb: 'apply', manager: 'a', body: { metadata: { finalizers: [null] } } },
      { verb: 'apply', manager: 'a', body: { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod' }] } } },
    ],
  },
  {
    ...configMap,
    title: 'kubectl upgrades from client-side apply',
    name: 'csa',
    steps: [
      { verb: 'create', manager: 'kubectl-client-side-apply', body: makeClientSideConfiguration({ x: '1', y: '1' }) },
      { verb: 'apply', manager: 'other', body: { data: { x: '2' } } },
      { verb: 'apply', manager: 'kubectl', body: { data: { x: '2', y: '1' } } },
      { verb: 'merge', manager: 'hand', body: { data: { y: '5' } } },
      { verb: 'apply', manager: 'kubectl', body: { data: { x: '3', y: '6' } } },
      {
        verb: 'apply',
        manager: 'kubectl',
        force: true,
        body: { metadata: { annotations: { n: '<&>' } }, data: { x: '3' } },
      },
    ],
  },
];
