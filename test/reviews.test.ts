import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { bindKubectl, findKubectlSkipReason } from './service/run-kubectl.ts';
import { startService } from './service/start-service.ts';
import type { Service, ServiceResponse } from './service/start-service.ts';
import { settleStatus } from './spec/settle-status.ts';

const domain = 'review.example';
const namespace = 'reviewed';
const root = `/apis/review.${domain}/v1/namespaces/${namespace}`;
const tokens = { reader: 'reader-token', stranger: 'stranger-token' };

interface Resources {
  readonly requests?: Record<string, string>;
  readonly limits?: Record<string, string>;
}

function pod(resources: Resources, more: object = {}): object {
  const spec = { containers: [{ name: 'web', image: 'web:1', resources }], ...more };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec };
}

function claim(storage: string): object {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec };
}

describe('reviews', () => {
  let service: Service;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bailiwick-reviews-'));
    const tokenFile = join(folder, 'tokens.csv');
    await writeFile(tokenFile, `${tokens.reader},reader,1\n${tokens.stranger},stranger,2\n`);
    service = await startService({ domain, flags: ['--token-auth-file', tokenFile] });
    const create = async (path: string, body: object): Promise<void> => {
      const { status, text } = await service.request('POST', path, { body });
      expect(status, text).toBe(201);
    };
    await create('/api/v1/namespaces', { metadata: { name: namespace } });
    const core = `/api/v1/namespaces/${namespace}`;
    const hard = { pods: '1', 'requests.cpu': '2', 'requests.storage': '10Gi' };
    await create(`${core}/resourcequotas`, { metadata: { name: 'compute' }, spec: { hard } });
    await create(`${core}/resourcequotas`, {
      metadata: { name: 'deployments' },
      spec: { hard: { 'count/deployments.apps': '0' } },
    });
    await create(`${core}/resourcequotas`, {
      metadata: { name: 'free' },
      spec: { hard: { pods: '0' }, scopes: ['BestEffort'] },
    });
    for (const name of ['compute', 'deployments', 'free'])
      await settleStatus(service, 'ResourceQuota', `${core}/resourcequotas/${name}`);
    await create(`${core}/limitranges`, {
      metadata: { name: 'sizes' },
      spec: {
        limits: [
          { type: 'Container', defaultRequest: { cpu: '500m' }, max: { cpu: '3' } },
          { type: 'PersistentVolumeClaim', max: { storage: '20Gi' } },
        ],
      },
    });
    const rights = '/apis/rbac.authorization.k8s.io/v1';
    const rules = [{ apiGroups: [`review.${domain}`], resources: ['quotareviews', 'limitreviews'], verbs: ['create'] }];
    await create(`${rights}/namespaces/${namespace}/roles`, { metadata: { name: 'asker' }, rules });
    const bind = (name: string, kind: string, role: string, user: string) =>
      create(`${rights}/namespaces/${namespace}/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      });
    await bind('stranger', 'Role', 'asker', 'stranger');
    await bind('reader', 'ClusterRole', 'view', 'reader');
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function ask(kind: 'LimitReview' | 'QuotaReview', spec: object, token?: string): Promise<ServiceResponse> {
    const body = { apiVersion: `review.${domain}/v1`, kind, spec };
    return service.request('POST', `${root}/${kind.toLowerCase()}s`, {
      body,
      ...(token === undefined ? {} : { token }),
    });
  }

  it.for([
    ['a pod that fits', 'pods', pod({ requests: { cpu: '1' }, limits: { cpu: '2' } })],
    ['a pod with defaults', 'pods', pod({})],
    ['a pod too big for the quota', 'pods', pod({ requests: { cpu: '2500m' }, limits: { cpu: '3' } })],
    ['a pod too big for the limit range', 'pods', pod({ limits: { cpu: '4' } })],
    ['a claim that fits', 'persistentvolumeclaims', claim('10Gi')],
    ['a claim too big for the quota', 'persistentvolumeclaims', claim('11Gi')],
    ['a claim too big for both', 'persistentvolumeclaims', claim('21Gi')],
  ] as const)('say of %s what a write hears', async ([, resource, object]) => {
    const path = `/api/v1/namespaces/${namespace}/${resource}?dryRun=All`;
    const written = await service.request('POST', path, { body: object });
    const limits = (await ask('LimitReview', { object })).json.status;
    const quotas = (await ask('QuotaReview', { object })).json.status;
    expect(limits.allowed && quotas.allowed).toBe(written.status === 201);
    if (written.status === 201) return;
    const reason = limits.allowed ? quotas.reason : limits.reason;
    expect(written.json.message).toContain(` is forbidden: ${reason}`);
  });

  it('tell what a pod would add to which quota, defaults of limit ranges included, and charge nothing', async () => {
    const { status, json } = await ask('QuotaReview', { object: pod({}) });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      kind: 'QuotaReview',
      apiVersion: `review.${domain}/v1`,
      spec: { operation: 'CREATE' },
    });
    expect(json.status).toMatchObject({ allowed: true, matching: 1 });
    expect(json.status.quotas).toEqual([
      {
        name: 'compute',
        matches: true,
        fits: true,
        requested: { pods: '1', 'requests.cpu': '500m' },
        used: { pods: '0', 'requests.cpu': '0', 'requests.storage': '0' },
        hard: { pods: '1', 'requests.cpu': '2', 'requests.storage': '10Gi' },
        left: { pods: '1', 'requests.cpu': '2', 'requests.storage': '10Gi' },
      },
      expect.objectContaining({ name: 'deployments', matches: false, fits: true }),
      expect.objectContaining({ name: 'free', matches: false, fits: true, scopes: ['BestEffort'] }),
    ]);
    const quota = await service.request('GET', `/api/v1/namespaces/${namespace}/resourcequotas/compute`);
    expect(quota.json.status.used.pods).toBe('0');
  });

  it('count objects of any kind', async () => {
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };
    expect((await ask('QuotaReview', { object })).json.status).toMatchObject({
      allowed: false,
      reason:
        'exceeded quota: deployments, requested: count/deployments.apps=1, used: count/deployments.apps=0, ' +
        'limited: count/deployments.apps=0',
    });
  });

  it('charge an update only for what is new', async () => {
    const spec = { operation: 'UPDATE', object: claim('10Gi'), oldObject: claim('9Gi') };
    const { quotas } = (await ask('QuotaReview', spec)).json.status;
    expect(quotas[0]).toMatchObject({ matches: true, requested: { 'requests.storage': '1Gi' } });
  });

  it('tell what limit ranges fill in, and what would let an object pass', async () => {
    const { status } = (await ask('LimitReview', { object: pod({ limits: { cpu: '4' } }) })).json;
    expect(status).toMatchObject({
      allowed: false,
      reason: 'maximum cpu usage per Container is 3, but limit is 4',
      limitRanges: 1,
      violations: [
        {
          limitRange: 'sizes',
          item: 'Container',
          subject: 'web',
          resource: 'cpu',
          remedy: 'set a limit of at most 3 of cpu',
        },
      ],
    });
    // The kind itself makes a request of a limit that has none, before limit ranges are asked.
    expect(status.defaulted).toEqual([]);
    const filled = (await ask('LimitReview', { object: pod({}) })).json.status;
    expect(filled.defaulted).toEqual([
      { path: 'spec.containers[0].resources.limits[cpu]', value: '3', limitRange: 'sizes' },
      { path: 'spec.containers[0].resources.requests[cpu]', value: '500m', limitRange: 'sizes' },
    ]);
    expect(filled.object.spec.containers[0].resources).toEqual({ limits: { cpu: '3' }, requests: { cpu: '500m' } });
  });

  it('have nothing to say where limit ranges do not look', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    expect((await ask('LimitReview', { object })).json.status).toEqual({
      allowed: true,
      enforced: true,
      limitRanges: 0,
      defaulted: [],
      violations: [],
    });
  });

  it('name quotas and limit ranges only to whoever may list them', async () => {
    const object = pod({ requests: { cpu: '4' }, limits: { cpu: '4' } });
    expect((await ask('QuotaReview', { object }, tokens.stranger)).json.status).toEqual({
      allowed: false,
      enforced: true,
      reason: 'the write does not fit the quotas of the namespace',
      matching: 1,
    });
    expect((await ask('LimitReview', { object }, tokens.stranger)).json.status).toEqual({
      allowed: false,
      enforced: true,
      reason: 'the write breaks the limit ranges of the namespace',
      limitRanges: 1,
    });
    expect((await ask('QuotaReview', { object }, tokens.reader)).json.status.quotas[0].name).toBe('compute');
    expect((await ask('LimitReview', { object }, tokens.reader)).json.status.violations[0].limitRange).toBe('sizes');
  });

  it.for([
    [
      'a kind that nobody serves',
      { object: { apiVersion: 'v9', kind: 'Pod' } },
      'spec.object.kind: Not found: "v9, Kind=Pod"',
    ],
    [
      'a kind without namespaces',
      { object: { apiVersion: 'v1', kind: 'Node' } },
      'spec.object.kind: Invalid value: "Node": must be a kind of objects that live in a namespace',
    ],
    [
      'another namespace',
      { object: { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'other' } } },
      'spec.object.metadata.namespace: Invalid value: "other": must be the namespace of the review',
    ],
    [
      'a pod that is none',
      { object: { apiVersion: 'v1', kind: 'Pod', spec: { containers: 'many' } } },
      'spec.object: Invalid value: "Pod": json: cannot unmarshal string into Go struct field',
    ],
    [
      'an amount that is none',
      { object: pod({ requests: { cpu: 'much' } }) },
      'spec.object: Invalid value: "Pod": quantities must match the regular expression',
    ],
    ['no object', {}, 'spec.object: Required value'],
    [
      'a bad old object',
      { operation: 'UPDATE', object: claim('1'), oldObject: { apiVersion: 'a/b/c', kind: 'X' } },
      'spec.oldObject.kind: Not found: "a/b/c, Kind=X"',
    ],
  ] as const)('refuse %s', async ([, spec, message]) => {
    for (const kind of ['LimitReview', 'QuotaReview'] as const) {
      const { status, json } = await ask(kind, spec);
      expect(status).toBe(422);
      expect(json.reason).toBe('Invalid');
      expect(json.message).toContain(`${kind}.review.${domain} "" is invalid: ${message}`);
    }
  });

  it('can only be created', async () => {
    expect((await service.request('GET', `${root}/quotareviews`)).status).toBe(405);
    const { resources } = (await service.request('GET', `/apis/review.${domain}/v1`)).json;
    expect(resources.map(({ name, verbs }: { name: string; verbs: string[] }) => [name, verbs])).toEqual([
      ['admissionreviews', ['create']],
      ['evictionreviews', ['create']],
      ['flowreviews', ['create']],
      ['limitreviews', ['create']],
      ['quotareviews', ['create']],
    ]);
  });

  it.skipIf(findKubectlSkipReason() !== undefined)('answer kubectl create -f', async () => {
    const kubectl = bindKubectl(service.kubeconfig, join(folder, 'kubectl'));
    const review = {
      apiVersion: `review.${domain}/v1`,
      kind: 'QuotaReview',
      metadata: { namespace },
      spec: { object: pod({}) },
    };
    const { code, stdout, stderr } = await kubectl.run(
      ['create', '-f', '-', '-o', 'jsonpath={.status.quotas[*].name}'],
      JSON.stringify(review),
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe('compute deployments free');
  });
});
