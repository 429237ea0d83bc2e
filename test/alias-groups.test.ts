import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readEvents, type WatchedEvent } from './service/read-events.ts';
import { bindKubectl, findKubectlSkipReason } from './service/run-kubectl.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';

interface AliasedKind {
  readonly kind: string;
  readonly path: string;
  readonly aliasPath: string;
  readonly apiVersion: string;
  readonly aliasApiVersion: string;
  readonly spec: object;
  readonly change: object;
}

const aliased: readonly AliasedKind[] = [
  {
    kind: 'ResourceQuota',
    path: '/api/v1/namespaces/default/resourcequotas',
    aliasPath: '/apis/core.alias.example/v1/namespaces/default/resourcequotas',
    apiVersion: 'v1',
    aliasApiVersion: 'core.alias.example/v1',
    spec: { hard: { pods: '7' } },
    change: { hard: { pods: '8' } },
  },
  {
    kind: 'LimitRange',
    path: '/api/v1/namespaces/default/limitranges',
    aliasPath: '/apis/core.alias.example/v1/namespaces/default/limitranges',
    apiVersion: 'v1',
    aliasApiVersion: 'core.alias.example/v1',
    spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] },
    change: { limits: [{ type: 'Pod', max: { cpu: '2' } }] },
  },
  {
    kind: 'PodDisruptionBudget',
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    aliasPath: '/apis/policy.alias.example/v1/namespaces/default/poddisruptionbudgets',
    apiVersion: 'policy/v1',
    aliasApiVersion: 'policy.alias.example/v1',
    spec: { minAvailable: 1 },
    change: { minAvailable: 2 },
  },
];

describe('alias groups', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ domain: 'alias.example' });
  });
  afterAll(() => service?.stop());

  it.for(aliased)('serves one $kind through both paths, each with its own apiVersion', async (entry) => {
    const created = await service.request('POST', entry.aliasPath, {
      body: { apiVersion: entry.aliasApiVersion, kind: entry.kind, metadata: { name: 'both' }, spec: entry.spec },
    });
    expect(created.status, created.text).toBe(201);
    expect(created.json.apiVersion).toBe(entry.aliasApiVersion);

    const direct = await service.request('GET', `${entry.path}/both`);
    expect(direct.json.apiVersion).toBe(entry.apiVersion);
    expect(direct.json.metadata.uid).toBe(created.json.metadata.uid);

    const changed = await service.request('PATCH', `${entry.path}/both`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: entry.change },
    });
    expect(changed.status, changed.text).toBe(200);
    const aliasList = await service.request('GET', entry.aliasPath);
    expect(aliasList.json.apiVersion).toBe(entry.aliasApiVersion);
    const item = aliasList.json.items.find((one: { metadata: { name: string } }) => one.metadata.name === 'both');
    expect(item.spec).toEqual(changed.json.spec);

    for (const [path, apiVersion] of [
      [entry.path, entry.apiVersion],
      [entry.aliasPath, entry.aliasApiVersion],
    ] as const) {
      const version = created.json.metadata.resourceVersion as string;
      const frames: WatchedEvent[] = [];
      await readEvents(
        await service.open('GET', `${path}?watch=true&resourceVersion=${version}&fieldSelector=metadata.name%3Dboth`),
        frames,
        () => true,
      );
      expect(frames[0]).toMatchObject({ type: 'MODIFIED', object: { apiVersion, metadata: { name: 'both' } } });
    }

    const wrong = await service.request('POST', entry.path, {
      body: { apiVersion: entry.aliasApiVersion, kind: entry.kind, metadata: { name: 'wrong' }, spec: entry.spec },
    });
    expect(wrong.status).toBe(400);
    expect((await service.request('DELETE', `${entry.aliasPath}/both`)).status).toBe(200);
    expect((await service.request('GET', `${entry.path}/both`)).status).toBe(404);
  });

  it('advertises them behind the groups of the specification', async () => {
    const groups = await service.request('GET', '/apis');
    const names = groups.json.groups.map((group: { name: string }) => group.name) as string[];
    expect(names.slice(-2)).toEqual(['core.alias.example', 'policy.alias.example']);
    const aggregated = await service.request('GET', '/apis', {
      headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
    });
    const item = aggregated.json.items.find(
      (one: { metadata: { name: string } }) => one.metadata.name === 'core.alias.example',
    );
    expect(item.versions[0].resources.map((one: { resource: string }) => one.resource)).toEqual([
      'limitranges',
      'resourcequotas',
    ]);
  });

  it.skipIf(findKubectlSkipReason() !== undefined)(
    'lets kubectl apply either apiVersion, and find the first by its short name',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'bailiwick-alias-'));
      const kubectl = bindKubectl(service.kubeconfig, join(folder, 'cache'));
      const run = (...words: string[]) => kubectl.run(words);
      try {
        for (const [name, apiVersion] of [
          ['plain', 'v1'],
          ['aliased', 'core.alias.example/v1'],
        ] as const) {
          const file = join(folder, `${name}.json`);
          const object = { apiVersion, kind: 'ResourceQuota', metadata: { name }, spec: { hard: { pods: '3' } } };
          await writeFile(file, JSON.stringify(object));
          const applied = await run('apply', '-f', file);
          expect(applied.code, applied.stderr).toBe(0);
          const again = await run('apply', '--server-side', '--field-manager=other', '-f', file);
          expect(again.code, again.stderr).toBe(0);
        }
        for (const word of ['resourcequota', 'resourcequotas', 'quota']) {
          const listed = await run('get', word, '-o', 'json');
          expect(listed.stderr).toBe('');
          const { items } = JSON.parse(listed.stdout) as {
            items: { apiVersion: string; metadata: { name: string } }[];
          };
          expect(items.map(({ apiVersion, metadata }) => [metadata.name, apiVersion])).toEqual([
            ['aliased', 'v1'],
            ['plain', 'v1'],
          ]);
        }
        const explained = await run('explain', 'resourcequotas.spec', '--api-version=core.alias.example/v1');
        expect(explained.stdout).toContain('hard');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );

  it('has none of them when the domain is k8s.io', async () => {
    const plain = await startService({ domain: 'k8s.io' });
    try {
      for (const group of ['core.k8s.io', 'policy.k8s.io', 'core.alias.example']) {
        expect((await plain.request('GET', `/apis/${group}/v1/resourcequotas`)).status).toBe(404);
      }
      expect((await plain.request('GET', '/apis/networking.k8s.io/v1/networkpolicies')).status).toBe(200);
      expect((await plain.request('GET', '/apis/networking.k8s.io/v1/ingressclasses')).status).toBe(200);
    } finally {
      await plain.stop();
    }
  });

  it('refuses another domain on the same data, and says which one it has', async () => {
    await service.stop();
    const dataDir = await mkdtemp(join(tmpdir(), 'bailiwick-domain-'));
    try {
      const first = await startService({ domain: 'one.example', dataDir });
      await first.kill();
      await expect(startService({ domain: 'two.example', dataDir })).rejects.toThrow(/one\.example/);
      const again = await startService({ domain: 'one.example', dataDir });
      await again.stop();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
