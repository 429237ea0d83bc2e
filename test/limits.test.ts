import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startService } from './service/start-service.ts';
import type { Service, ServiceResponse } from './service/start-service.ts';

type Body = Record<string, unknown>;

interface ScopeCase {
  readonly scope: string;
  /** A spec of a pod, or of a claim when `claim` is set, that the scope matches, and one that it does not. */
  readonly inside: Body;
  readonly outside: Body;
  readonly claim?: true;
  readonly values?: readonly string[];
}

const container = { name: 'c', image: 'example.com/a:1' };
const sized = { containers: [{ ...container, resources: { requests: { cpu: '100m' } } }] };
const unsized = { containers: [container] };
const crossNamespace = {
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'zone', namespaceSelector: {}, labelSelector: { matchLabels: { a: 'b' } } },
    ],
  },
};
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

const scopes: readonly ScopeCase[] = [
  { scope: 'BestEffort', inside: unsized, outside: sized },
  { scope: 'NotBestEffort', inside: sized, outside: unsized },
  { scope: 'CrossNamespacePodAffinity', inside: { ...unsized, affinity: crossNamespace }, outside: unsized },
  { scope: 'NotTerminating', inside: unsized, outside: { ...unsized, activeDeadlineSeconds: 60 } },
  { scope: 'Terminating', inside: { ...unsized, activeDeadlineSeconds: 60 }, outside: unsized },
  { scope: 'PriorityClass', inside: { ...unsized, priorityClassName: 'urgent' }, outside: unsized, values: ['urgent'] },
  {
    scope: 'VolumeAttributesClass',
    inside: { ...claim, volumeAttributesClassName: 'fast' },
    outside: claim,
    claim: true,
    values: ['fast'],
  },
];

describe('limits in force', () => {
  let service: Service;
  let counter = 0;

  beforeAll(async () => {
    service = await startService();
    const created = await service.request('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      body: { metadata: { name: 'urgent' }, value: 10 },
    });
    expect(created.status, created.text).toBe(201);
  });
  afterAll(() => service?.stop());

  async function makeNamespace(objects: Readonly<Record<string, Body>> = {}): Promise<string> {
    const name = `limits-${++counter}`;
    await service.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    for (const [plural, body] of Object.entries(objects)) {
      const answer = await service.request('POST', `/api/v1/namespaces/${name}/${plural}`, { body });
      expect(answer.status, answer.text).toBe(201);
    }
    return name;
  }

  const quotaOf = (spec: Body): Body => ({ metadata: { name: 'q' }, spec });

  const createPod = (namespace: string, name: string, spec: Body): Promise<ServiceResponse> =>
    service.request('POST', `/api/v1/namespaces/${namespace}/pods`, { body: { metadata: { name }, spec } });

  const create = (namespace: string, plural: string, name: string, spec: Body): Promise<ServiceResponse> =>
    service.request('POST', `/api/v1/namespaces/${namespace}/${plural}`, { body: { metadata: { name }, spec } });

  for (const { scope, inside, outside, claim: isClaim, values } of scopes) {
    it(`[scope ${scope}] counts what the scope matches, and nothing else`, async () => {
      const resource = isClaim ? 'persistentvolumeclaims' : 'pods';
      const scopeSelector = {
        matchExpressions: [{ scopeName: scope, operator: values ? 'In' : 'Exists', ...(values ? { values } : {}) }],
      };
      const namespace = await makeNamespace({ resourcequotas: quotaOf({ hard: { [resource]: '1' }, scopeSelector }) });
      for (const name of ['a', 'b']) {
        const free = await create(namespace, resource, `outside-${name}`, outside);
        expect(free.status, free.text).toBe(201);
      }
      const first = await create(namespace, resource, 'inside-a', inside);
      expect(first.status, first.text).toBe(201);
      const second = await create(namespace, resource, 'inside-b', inside);
      expect(second.status, second.text).toBe(403);
      expect(second.json.message).toBe(
        `${resource} "inside-b" is forbidden: exceeded quota: q, requested: ${resource}=1, used: ${resource}=1, limited: ${resource}=1`,
      );
    });
  }

  it('charges an update by its delta, and gives back what a deletion frees', async () => {
    const namespace = await makeNamespace({ resourcequotas: quotaOf({ hard: { 'requests.storage': '3Gi' } }) });
    expect((await create(namespace, 'persistentvolumeclaims', 'a', claim)).status).toBe(201);
    expect((await create(namespace, 'persistentvolumeclaims', 'b', claim)).status).toBe(201);
    const refused = await create(namespace, 'persistentvolumeclaims', 'big', {
      ...claim,
      resources: { requests: { storage: '2Gi' } },
    });
    expect(refused.status).toBe(403);
    expect(refused.json.message).toContain(
      'requested: requests.storage=2Gi, used: requests.storage=2Gi, limited: requests.storage=3Gi',
    );
    expect((await service.request('DELETE', `/api/v1/namespaces/${namespace}/persistentvolumeclaims/a`)).status).toBe(
      200,
    );
    await expect
      .poll(
        async () => (await service.request('GET', `/api/v1/namespaces/${namespace}/resourcequotas/q`)).json.status.used,
      )
      .toEqual({ 'requests.storage': '1Gi' });
    const fits = await create(namespace, 'persistentvolumeclaims', 'big', {
      ...claim,
      resources: { requests: { storage: '2Gi' } },
    });
    expect(fits.status, fits.text).toBe(201);
  });

  it('asks for what a quota counts, by name', async () => {
    const namespace = await makeNamespace({
      resourcequotas: quotaOf({ hard: { 'requests.cpu': '1', 'limits.memory': '1Gi' } }),
    });
    const answer = await createPod(namespace, 'p', unsized);
    expect(answer.status).toBe(403);
    expect(answer.json.message).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    );
  });

  it('counts objects of any kind, services by their type, and claims by their class', async () => {
    const namespace = await makeNamespace({
      resourcequotas: quotaOf({
        hard: {
          'count/deployments.apps': '1',
          'count/configmaps': '1',
          'services.nodeports': '1',
          'gold.storageclass.storage.k8s.io/requests.storage': '1Gi',
        },
      }),
    });
    const template = { metadata: { labels: { a: 'b' } }, spec: unsized };
    const deploy = (name: string): Promise<ServiceResponse> =>
      service.request('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, {
        body: { metadata: { name }, spec: { selector: { matchLabels: { a: 'b' } }, template } },
      });
    expect((await deploy('one')).status).toBe(201);
    expect((await deploy('two')).json.message).toContain('exceeded quota: q, requested: count/deployments.apps=1');
    const nodePort = { type: 'NodePort', ports: [{ port: 80 }] };
    expect((await create(namespace, 'services', 'one', nodePort)).status).toBe(201);
    expect((await create(namespace, 'services', 'two', nodePort)).status).toBe(403);
    expect((await create(namespace, 'services', 'plain', { ports: [{ port: 80 }] })).status).toBe(201);
    const gold = { ...claim, storageClassName: 'gold' };
    expect((await create(namespace, 'persistentvolumeclaims', 'one', gold)).status).toBe(201);
    expect((await create(namespace, 'persistentvolumeclaims', 'two', gold)).status).toBe(403);
    expect((await create(namespace, 'persistentvolumeclaims', 'three', claim)).status).toBe(201);
  });

  it('gives back what a finished pod used', async () => {
    const namespace = await makeNamespace({ resourcequotas: quotaOf({ hard: { pods: '1' } }) });
    expect((await createPod(namespace, 'done', unsized)).status).toBe(201);
    const patched = await service.request('PATCH', `/api/v1/namespaces/${namespace}/pods/done/status`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { status: { phase: 'Succeeded' } },
    });
    expect(patched.status, patched.text).toBe(200);
    await expect.poll(async () => (await createPod(namespace, 'next', unsized)).status).toBe(201);
  });

  it('fills in what a LimitRange says, and refuses what is beyond it', async () => {
    const limits = [
      {
        type: 'Container',
        default: { cpu: '500m' },
        defaultRequest: { cpu: '100m' },
        max: { cpu: '1' },
        min: { cpu: '50m' },
        maxLimitRequestRatio: { cpu: '5' },
      },
      { type: 'Pod', max: { cpu: '2' } },
      { type: 'PersistentVolumeClaim', min: { storage: '2Gi' } },
    ];
    const namespace = await makeNamespace({ limitranges: { metadata: { name: 'l' }, spec: { limits } } });
    const filled = await createPod(namespace, 'filled', unsized);
    expect(filled.json.spec.containers[0].resources).toEqual({ limits: { cpu: '500m' }, requests: { cpu: '100m' } });
    expect(filled.json.metadata.annotations['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
    );
    const withResources = (resources: Body): Body => ({ containers: [{ ...container, resources }] });
    const over = await createPod(namespace, 'over', withResources({ limits: { cpu: '3' }, requests: { cpu: '1' } }));
    expect(over.status).toBe(403);
    expect(over.json.message).toContain('maximum cpu usage per Container is 1, but limit is 3');
    expect(over.json.message).toContain('maximum cpu usage per Pod is 2, but limit is 3');
    const under = await createPod(
      namespace,
      'under',
      withResources({ limits: { cpu: '40m' }, requests: { cpu: '40m' } }),
    );
    expect(under.json.message).toContain('minimum cpu usage per Container is 50m, but request is 40m');
    const ratio = await createPod(
      namespace,
      'ratio',
      withResources({ limits: { cpu: '1' }, requests: { cpu: '100m' } }),
    );
    expect(ratio.json.message).toContain(
      'cpu max limit to request ratio per Container is 5, but provided ratio is 10.000000',
    );
    const small = await create(namespace, 'persistentvolumeclaims', 'small', claim);
    expect(small.json.message).toContain('minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi');
  });

  it('respects several quotas at once, and charges none when one refuses', async () => {
    const namespace = await makeNamespace({
      resourcequotas: { metadata: { name: 'wide' }, spec: { hard: { pods: '5' } } },
    });
    await service.request('POST', `/api/v1/namespaces/${namespace}/resourcequotas`, {
      body: { metadata: { name: 'narrow' }, spec: { hard: { 'requests.cpu': '150m' } } },
    });
    expect((await createPod(namespace, 'a', sized)).status).toBe(201);
    const refused = await createPod(namespace, 'b', sized);
    expect(refused.status).toBe(403);
    expect(refused.json.message).toContain('exceeded quota: narrow');
    const wide = await service.request('GET', `/api/v1/namespaces/${namespace}/resourcequotas/wide`);
    expect(wide.json.status.used).toEqual({ pods: '1' });
  });

  it('checks a dry run, and records nothing', async () => {
    const namespace = await makeNamespace({ resourcequotas: quotaOf({ hard: { pods: '1' } }) });
    const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
    for (let round = 0; round < 3; round += 1) {
      expect((await service.request('POST', path, { body: { metadata: { name: 'dry' }, spec: unsized } })).status).toBe(
        201,
      );
    }
    expect((await createPod(namespace, 'real', unsized)).status).toBe(201);
    expect((await service.request('POST', path, { body: { metadata: { name: 'dry' }, spec: unsized } })).status).toBe(
      403,
    );
  });
});
