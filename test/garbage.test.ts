import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { awaitObjects, type AnyObject } from './controllers/await-objects.ts';
import { startService, type Service } from './service/start-service.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const kills = isSoak ? 20 : 1;
const dependents = 200;
const configMaps = '/api/v1/namespaces/default/configmaps';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/acme.example/v1/namespaces/default/widgets';

let folder: string;
let service: Service;

const checkAlive = async (): Promise<void> => undefined;

async function send(method: string, path: string, body?: unknown): Promise<AnyObject> {
  const answer = await service.request(method, path, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json as AnyObject;
}

function referTo({ apiVersion, kind, metadata }: AnyObject): AnyObject[] {
  return [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, blockOwnerDeletion: true }];
}

function create(path: string, name: string, owner?: AnyObject): Promise<AnyObject> {
  const ownerReferences = owner === undefined ? [] : referTo(owner);
  const type = path === widgets ? { apiVersion: 'acme.example/v1', kind: 'Widget' } : {};
  return send('POST', path, { ...type, metadata: { name, ownerReferences, labels: { test: 'garbage' } } });
}

async function awaitNone(path: string): Promise<void> {
  await awaitObjects(service, `${path}?labelSelector=test%3Dgarbage`, (items) => items.length === 0, checkAlive);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bailiwick-garbage-'));
  service = await startService({ domain: 'k8s.io', dataDir: folder });
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await send('POST', definitions, {
    metadata: { name: 'widgets.acme.example' },
    spec: {
      group: 'acme.example',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await awaitObjects(
    service,
    definitions,
    ([definition]) =>
      definition?.['status']?.conditions?.some(
        ({ type, status }: AnyObject) => type === 'Established' && status === 'True',
      ) === true,
    checkAlive,
  );
});

afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

it.for(['Background', 'Foreground'])('a custom object takes with it what it owned: %s', async (propagationPolicy) => {
  const owner = await create(widgets, 'owner');
  await create(widgets, 'part', owner);
  await create(configMaps, 'settings', await create(configMaps, 'middle', owner));
  await send('DELETE', `${widgets}/owner`, { propagationPolicy });
  await Promise.all([awaitNone(widgets), awaitNone(configMaps)]);
});

it('a custom object leaves orphans', async () => {
  const owner = await create(widgets, 'owner');
  await create(widgets, 'part', owner);
  await send('DELETE', `${widgets}/owner`, { propagationPolicy: 'Orphan' });
  const left = await awaitObjects(service, widgets, (items) => items.length === 1, checkAlive);
  expect(left[0]?.['metadata']).toMatchObject({ name: 'part' });
  expect(left[0]?.['metadata']).not.toHaveProperty('ownerReferences');
  await send('DELETE', `${widgets}/part`);
});

it('what custom objects owned goes with their definition', async () => {
  await create(configMaps, 'settings', await create(widgets, 'owner'));
  await send('DELETE', `${definitions}/widgets.acme.example`);
  await awaitNone(configMaps);
});

it.for(['Background', 'Foreground', 'Orphan'])(
  'a deletion that a kill interrupts goes on afterwards: %s',
  async (propagationPolicy) => {
    const owner = await create(configMaps, 'owner');
    await Promise.all(Array.from({ length: dependents }, (_, i) => create(configMaps, `part-${i}`, owner)));
    await send('DELETE', `${configMaps}/owner`, { propagationPolicy });
    for (let i = 0; i < kills; i += 1) {
      await service.kill();
      service = await startService({ domain: 'k8s.io', dataDir: folder });
    }
    const isOver = (items: AnyObject[]): boolean =>
      propagationPolicy === 'Orphan'
        ? items.length === dependents && items.every(({ metadata }) => metadata.ownerReferences === undefined)
        : items.length === 0;
    await awaitObjects(service, `${configMaps}?labelSelector=test%3Dgarbage`, isOver, checkAlive);
    await send('DELETE', `${configMaps}?labelSelector=test%3Dgarbage`);
  },
);
