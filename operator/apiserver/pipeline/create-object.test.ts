import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { AdmissionPlugin } from '../../../admission/admission-plugin.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { systemClock } from '../../../platform/process/clock.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import { openSqliteStore } from '../../../platform/store/sqlite-store.ts';
import { EmbeddedResources } from './embedded-resources.ts';

let folder: string;
let store: ObjectStore;
let client: ResourceClient;
/** What each step of admission saw of the status, by the name of the step. */
let seen: Record<string, unknown>;

function readStatus(object: KubeObject | undefined): unknown {
  return structuredClone((object as (KubeObject & JsonObject) | undefined)?.['status']);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-object-'));
  store = await openSqliteStore({ file: join(folder, 'store.db') });
  const resources = new EmbeddedResources({
    ...{ store, registry: buildKindRegistry('bailiwick.dev'), now: () => systemClock.now() },
  });
  seen = {};
  const plugin: AdmissionPlugin = {
    name: 'test',
    handles: ({ operation }) => operation === 'CREATE',
    mutate: async ({ object }) => void (seen['mutate'] = readStatus(object)),
    validate: async ({ object }) => void (seen['validate'] = readStatus(object)),
  };
  resources.install({ plugins: [plugin] });
  client = resources.clientFor({ username: 'system:apiserver', groups: ['system:masters'] });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

it.for<
  readonly [string, Pick<KubeObject['metadata'], 'name' | 'generateName'>, { readonly dryRun?: readonly string[] }]
>([
  ['is stored', { name: 'data' }, {}],
  ['is only tried', { name: 'data' }, { dryRun: ['All'] }],
  ['gets its name', { generateName: 'data-' }, {}],
])(
  'shows the first phase of a claim that %s to what changes it, not to what validates it',
  async ([, metadata, options]) => {
    const claim = {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, status: { phase: 'Bound' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const resource = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
    const made = await client.create({ resource, namespace: 'default' }, claim, options);
    expect({ ...seen, made: readStatus(made) }).toEqual({
      ...{ mutate: { phase: 'Bound' }, validate: {}, made: { phase: 'Pending' } },
    });
  },
);
