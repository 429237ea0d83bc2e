import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request as sendHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { writeKubeconfig } from './cluster/write-kubeconfig.ts';
import { installCrds } from './crds/install-crds.ts';
import { readEvents, type WatchedEvent } from './service/read-events.ts';
import { bindKubectl, findKubectlSkipReason } from './service/run-kubectl.ts';
import { startService } from './service/start-service.ts';
import type { RequestOptions, Service, ServiceResponse } from './service/start-service.ts';

const domain = 'host.example';
const quotas = '/api/v1/namespaces/team/resourcequotas';
const hostQuotas = `/apis/core.${domain}/v1/namespaces/team/resourcequotas`;
const kubectlSkipReason = findKubectlSkipReason();
const run = promisify(execFile);

describeCluster('the API service before a host', () => {
  let cluster: Cluster;
  let service: Service;

  const request = (method: string, path: string, options?: RequestOptions): Promise<ServiceResponse> =>
    service.request(method, path, options);

  async function createQuota(name: string, hard: Record<string, string> = { pods: '5' }): Promise<ServiceResponse> {
    const created = await request('POST', quotas, { body: { metadata: { name }, spec: { hard } } });
    expect(created.status, created.text).toBe(201);
    await waitUntil('the quota to be counted', async () => {
      return (await request('GET', `${quotas}/${name}`)).json.status?.used !== undefined;
    });
    return request('GET', `${quotas}/${name}`);
  }

  beforeAll(async () => {
    cluster = await startCluster({
      apiServerFlags: ['--disable-admission-plugins=ResourceQuota,LimitRanger,ServiceAccount'],
    });
    await installCrds(cluster, domain);
    service = await startService({
      domain,
      flags: [
        ...['--store', 'crds', '--kubeconfig', cluster.kubeconfig],
        ...['--impersonate-clients-of', join(cluster.folder, 'pki/ca.crt')],
      ],
    });
    await request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'team' } } });
  });
  afterAll(async () => {
    await service?.stop();
    await cluster?.stop();
  });

  it("keeps a quota as the host's custom resource, and leaves the host's own alone", async () => {
    const shown = await createQuota('kept');
    expect(shown.json).toMatchObject({ apiVersion: 'v1', kind: 'ResourceQuota', status: { used: { pods: '0' } } });
    const versions = shown.json.metadata.managedFields.map((entry: { apiVersion: string }) => entry.apiVersion);
    expect(new Set(versions)).toEqual(new Set(['v1']));
    const stored = await cluster.request('GET', `${hostQuotas}/kept`);
    expect(stored.body.metadata.uid).toBe(shown.json.metadata.uid);
    expect((await cluster.request('GET', `${quotas}/kept`)).status).toBe(404);
    const aliased = await request('GET', `${hostQuotas}/kept`);
    expect(aliased.json.apiVersion).toBe(`core.${domain}/v1`);
  });

  it.for<
    [name: string, method: string, path: string, body: object | string | undefined, code: number, message: string]
  >([
    ['an absent object', 'GET', `${quotas}/none`, undefined, 404, 'resourcequotas "none" not found'],
    ['one that exists', 'POST', quotas, { metadata: { name: 'kept' } }, 409, 'resourcequotas "kept" already exists'],
    [
      'another apiVersion',
      'POST',
      quotas,
      { apiVersion: `core.${domain}/v1`, kind: 'ResourceQuota', metadata: { name: 'a' } },
      400,
      `the API version in the data (core.${domain}/v1) does not match the expected API version (v1)`,
    ],
    [
      'a path that nobody serves',
      'GET',
      `${quotas}/kept/scale`,
      undefined,
      404,
      'the server could not find the requested resource',
    ],
    [
      'a budget that is absent',
      'GET',
      '/apis/policy/v1/namespaces/team/poddisruptionbudgets/none',
      undefined,
      404,
      'poddisruptionbudgets.policy "none" not found',
    ],
  ])('tells of %s in the words of the specification', async ([, method, path, body, code, message]) => {
    const answer = await request(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(code);
    expect(answer.json).toMatchObject({ kind: 'Status', message, code });
    expect(answer.text.replaceAll(`(core.${domain}/v1)`, '')).not.toContain(`core.${domain}`);
    expect(answer.json.details?.group ?? '').not.toContain(domain);
  });

  it('hides what only the custom resource has, and keeps it when a status is written', async () => {
    await createQuota('claimed');
    const claim = `u1 pods pods=1 since=${new Date().toISOString()}`;
    const write = async () => {
      const { body } = await cluster.request('GET', `${hostQuotas}/claimed`);
      const status = { ...body.status, claims: [claim] };
      return cluster.request('PUT', `${hostQuotas}/claimed/status`, { body: { ...body, status } });
    };
    await waitUntil('the claim to be stored', async () => (await write()).status === 200);
    const frames: WatchedEvent[] = [];
    await readEvents(
      await service.open('GET', `${quotas}?watch=true&fieldSelector=metadata.name%3Dclaimed`),
      frames,
      () => true,
    );
    const shown = [
      JSON.stringify(frames),
      (await request('GET', `${quotas}/claimed`)).text,
      (await request('GET', quotas)).text,
      (await request('GET', hostQuotas)).text,
      (await request('GET', `${quotas}/claimed`, { headers: { accept: 'application/yaml' } })).text,
    ];
    for (const text of shown) {
      expect(text).toContain('claimed');
      expect(text).not.toContain('claims');
    }
    const { json } = await request('GET', `${quotas}/claimed`);
    delete json.metadata.resourceVersion;
    const updated = await request('PUT', `${quotas}/claimed/status`, {
      body: { ...json, status: { hard: { pods: '5' }, used: { pods: '2' } } },
    });
    expect(updated.status, updated.text).toBe(200);
    expect(updated.text).not.toContain('claims');
    const readClaims = async () =>
      ((await cluster.request('GET', `${hostQuotas}/claimed`)).body.status?.claims ?? []).map(
        (text: string) => text.split(' ', 1)[0],
      );
    expect(await readClaims()).toEqual(['u1']);
    const status = { hard: { pods: '5' }, used: { pods: '3' } };
    const patches: readonly (readonly [type: string, body: unknown, query?: string])[] = [
      ['merge-patch+json', { status: null }],
      ['merge-patch+json', { status: { claims: null, count: null, used: { pods: '3' } } }],
      ['strategic-merge-patch+json', { status: { $patch: 'replace', ...status } }],
      ['json-patch+json', [{ op: 'add', path: '/status', value: status }]],
      ['json-patch+json', [{ op: 'remove', path: '/status/used' }]],
      [
        'apply-patch+yaml',
        { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'claimed' }, status: { ...status, claims: [] } },
        '?fieldManager=me&force=true',
      ],
    ];
    for (const [type, body, query = ''] of patches) {
      const patched = await request('PATCH', `${quotas}/claimed/status${query}`, {
        headers: { 'content-type': `application/${type}` },
        body: JSON.stringify(body),
      });
      expect(patched.status, patched.text).toBe(200);
      expect(await readClaims(), `${type} ${JSON.stringify(body)}`).toEqual(['u1']);
    }
    const replaced = await request('PUT', `${quotas}/claimed`, {
      body: { ...(await request('GET', `${quotas}/claimed`)).json, status: undefined },
    });
    expect(replaced.status, replaced.text).toBe(200);
    expect(await readClaims()).toEqual(['u1']);
  });

  it('applies a strategic merge patch, which no custom resource takes', async () => {
    const path = '/apis/policy/v1/namespaces/team/poddisruptionbudgets';
    const metadata = { name: 'strategic', labels: { a: '1', b: '2' } };
    await request('POST', path, {
      body: { metadata, spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } } },
    });
    const patched = await request('PATCH', `${path}/strategic`, {
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: {
        metadata: { labels: { a: null, c: '3' } },
        spec: { minAvailable: 2, selector: { $patch: 'replace', matchLabels: { tier: 'front' } } },
      },
    });
    expect(patched.status, patched.text).toBe(200);
    expect(patched.json).toMatchObject({ apiVersion: 'policy/v1', metadata: { labels: { b: '2', c: '3' } } });
    expect(patched.json.spec).toEqual({ minAvailable: 2, selector: { matchLabels: { tier: 'front' } } });
    const bad = await request('PATCH', `${path}/strategic`, {
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: { metadata: { labels: { $patch: 'unknown' } } },
    });
    expect(bad.status).toBe(400);
  });

  it('answers Tables with the columns of the kind', async () => {
    await createQuota('table', { pods: '5' });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const answer = await request('GET', `${quotas}?fieldSelector=metadata.name%3Dtable`, { headers: { accept } });
    expect(answer.json).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(answer.json.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      'Name',
      'Request',
      'Limit',
      'Age',
    ]);
    expect(answer.json.rows[0].cells.slice(0, 2)).toEqual(['table', 'pods: 0/5']);
    expect(answer.text).not.toContain(domain);
    const frames: WatchedEvent[] = [];
    const stream = await service.open('GET', `${quotas}?watch=true&fieldSelector=metadata.name%3Dtable`, {
      headers: { accept },
    });
    await readEvents(stream, frames, () => true);
    expect(frames[0]?.object).toMatchObject({
      kind: 'Table',
      rows: [{ cells: expect.arrayContaining(['pods: 0/5']) }],
    });
  });

  it.skipIf(kubectlSkipReason !== undefined)(
    'serves kubectl: discovery, defaults of short names, apply, patch, tables',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'bailiwick-host-'));
      try {
        const kubectl = bindKubectl(service.kubeconfig, join(folder, 'cache'));
        const ok = async (words: string) => {
          const result = await kubectl.run([...words.split(' '), '-n', 'team']);
          expect(result.code, `${words}: ${result.stderr}`).toBe(0);
          expect(result.stderr).toBe('');
          return result.stdout;
        };
        expect(await ok('create quota typed --hard=pods=9,services=2')).toContain('resourcequota/typed created');
        expect(await ok('get quota typed')).toMatch(/NAME\s+REQUEST\s+LIMIT\s+AGE/);
        expect(await ok('get quota typed -o jsonpath={.apiVersion}')).toBe('v1');
        await ok('patch quota typed --type=strategic -p {"spec":{"hard":{"pods":"8"}}}');
        expect(await ok('get resourcequota typed -o jsonpath={.spec.hard.pods}')).toBe('8');
        expect(await ok('explain limitrange.spec.limits')).toContain('maxLimitRequestRatio');
        for (const [name, apiVersion] of [
          ['one', 'v1'],
          ['two', `core.${domain}/v1`],
        ] as const) {
          const file = join(folder, `${name}.json`);
          const limits = [{ type: 'Container', max: { cpu: '2' } }];
          await writeFile(
            file,
            JSON.stringify({ apiVersion, kind: 'LimitRange', metadata: { name, namespace: 'team' }, spec: { limits } }),
          );
          await ok(`apply -f ${file}`);
          await ok(`apply -f ${file}`);
          await ok(`apply --server-side --force-conflicts -f ${file}`);
        }
        // What the limits default to depends on other fields: the custom resource does not say it, the service does.
        expect(await ok('get limits one -o jsonpath={.spec.limits[0].default.cpu}')).toBe('2');
        expect(await ok('delete quota typed')).toContain('deleted');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );

  it('hands on what is none of its own, streams too', async () => {
    const path = '/api/v1/namespaces/team/configmaps';
    const stream = await service.open('GET', `${path}?watch=true`);
    expect(stream.statusCode).toBe(200);
    const frames: WatchedEvent[] = [];
    const reading = readEvents(stream, frames, ({ object }) => object.metadata.name === 'passed');
    const created = await request('POST', path, { body: { metadata: { name: 'passed' }, data: { a: 'b' } } });
    expect(created.status).toBe(201);
    await reading;
    const big = 'x'.repeat(4 * 1024 * 1024);
    const refused = await request('POST', path, { body: { metadata: { name: 'big' }, data: { big } } });
    expect(refused.status).toBe(413);
    const version = await request('GET', '/version');
    expect(version.json.gitVersion).toContain('v1.34');
    const warned = await request('POST', `${path}?fieldValidation=Warn`, {
      body: { metadata: { name: 'warned' }, unknown: 1 },
    });
    expect(warned.headers['warning']).toContain('unknown');
  });

  it("tells the host's audit id, and takes the client's", async () => {
    const answer = await request('GET', `${quotas}/kept`, { headers: { 'audit-id': 'mine' } });
    expect(answer.headers['audit-id']).toBe('mine');
    expect((await request('GET', `${quotas}/kept`)).headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('ends its own watch of the host when the client is gone', async () => {
    const count = async () => {
      const metrics = (await cluster.request('GET', '/metrics')).body as string;
      const line = /^apiserver_longrunning_requests\{[^}]*resource="leases"[^}]*verb="WATCH"[^}]*\} (\d+)/m.exec(
        metrics,
      );
      return Number(line?.[1] ?? 0);
    };
    const before = await count();
    const stream = await service.open('GET', '/apis/coordination.k8s.io/v1/namespaces/team/leases?watch=true');
    await waitUntil('the watch to be there', async () => (await count()) === before + 1);
    stream.destroy();
    await waitUntil('the watch to be gone', async () => (await count()) === before);
  });

  it('refuses what needs an upgraded connection, and says where to go', async () => {
    const answer = await request('GET', '/api/v1/namespaces/team/pods/a/exec?command=ls&stdout=true', {
      headers: { connection: 'Upgrade', upgrade: 'websocket' },
    });
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain(cluster.url);
  });

  it('asks the host who a token belongs to, and lets the host judge it', async () => {
    await request('POST', '/api/v1/namespaces/team/serviceaccounts', { body: { metadata: { name: 'robot' } } });
    const issued = await request('POST', '/api/v1/namespaces/team/serviceaccounts/robot/token', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    const token = issued.json.status.token as string;
    const refused = await request('GET', quotas, { token });
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({
      message:
        'resourcequotas is forbidden: User "system:serviceaccount:team:robot" cannot list resource "resourcequotas" in API group "" in the namespace "team"',
      details: { kind: 'resourcequotas' },
    });
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/team';
    const rules = [{ apiGroups: [`core.${domain}`], resources: ['resourcequotas'], verbs: ['list'] }];
    await request('POST', `${rbac}/roles`, { body: { metadata: { name: 'robot' }, rules } });
    await request('POST', `${rbac}/rolebindings`, {
      body: {
        metadata: { name: 'robot' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'robot' },
        subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'team' }],
      },
    });
    await waitUntil('the role to count', async () => (await request('GET', quotas, { token })).status === 200);
    const who = await request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      token,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(who.json.status.userInfo.username).toBe('system:serviceaccount:team:robot');
    expect((await request('GET', quotas, { token, headers: { 'impersonate-user': 'admin' } })).status).toBe(403);
  });

  it.for<[name: string, headers: Record<string, string>, who: string | undefined]>([
    ['nothing more', {}, 'system:serviceaccount:team:robot'],
    [
      'headers of a front proxy',
      { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
      'system:serviceaccount:team:robot',
    ],
    [
      'an impersonation that the host must judge',
      { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
      undefined,
    ],
    ['its token called a header of the connection', { connection: 'authorization' }, undefined],
    ['a host of its own', { host: 'localhost:1' }, 'system:serviceaccount:team:robot'],
  ])('sends a token to the host with %s, and nothing of its own', async ([, headers, who]) => {
    await request('POST', '/api/v1/namespaces/team/serviceaccounts', { body: { metadata: { name: 'robot' } } });
    const issued = await request('POST', '/api/v1/namespaces/team/serviceaccounts/robot/token', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    const answer = await request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      token: issued.json.status.token as string,
      headers,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(answer.json.status.userInfo?.username, answer.text).toBe(who);
    if (who === undefined) expect([401, 403]).toContain(answer.status);
  });

  it('refuses strangers everywhere but at the health paths', async () => {
    for (const path of ['/api', '/apis', quotas, '/metrics', '/version', '/openapi/v3', `/apis/review.${domain}/v1`]) {
      expect((await request('GET', path, { anonymous: true })).status, path).toBe(401);
      expect((await request('GET', path, { token: 'wrong' })).status, path).toBe(401);
      const headers = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
      expect((await request('GET', path, { anonymous: true, headers })).status, path).toBe(401);
    }
    expect((await request('GET', '/readyz', { anonymous: true })).status).toBe(200);
    expect((await request('GET', '/metrics')).text).toContain('apiserver_request_total');
  });

  it('lets the one who started it act as others, as the host allows', async () => {
    const who = await request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      headers: { 'impersonate-user': 'ann', 'impersonate-group': 'devs' },
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(who.json.status.userInfo).toMatchObject({ username: 'ann' });
    expect(who.json.status.userInfo.groups).toContain('devs');
  });

  /** Calls with a client certificate of the host's authority. */
  async function callAs(username: string, groups: readonly string[], headers: Record<string, string> = {}) {
    const { certificate, key } = await cluster.issueClientCertificate(username, groups);
    const agent = new Agent({ rejectUnauthorized: false, cert: certificate, key });
    const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const text = await new Promise<string>((resolve, reject) => {
      const sent = sendHttps(
        new URL(path, service.url),
        { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } },
        (answer) => {
          let read = '';
          answer.on('data', (chunk: Buffer) => (read += chunk.toString('utf8')));
          answer.on('end', () => resolve(read));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
    agent.destroy();
    return JSON.parse(text) as { code?: number; status?: { userInfo?: { username: string; groups: string[] } } };
  }

  it('acts for clients of the authorities that it was given, and judges whom they may act as', async () => {
    const answer = await callAs('carl', ['devs']);
    expect(answer.status?.userInfo).toMatchObject({ username: 'carl', groups: ['devs', 'system:authenticated'] });
    expect((await callAs('carl', ['devs'], { 'impersonate-user': 'admin' })).code).toBe(403);
    const root = await callAs('root', ['system:masters'], { 'impersonate-user': 'dora', 'impersonate-group': 'ops' });
    expect(root.status?.userInfo).toMatchObject({ username: 'dora', groups: ['ops', 'system:authenticated'] });
  });

  it('finds out whose a token is where the one who started it may not ask', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bailiwick-host-'));
    const account = '/api/v1/namespaces/team/serviceaccounts/robot/token';
    const issue = async () =>
      (
        await request('POST', account, {
          body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
        })
      ).json.status.token as string;
    const kubeconfig = join(folder, 'kubeconfig');
    await writeKubeconfig(kubeconfig, cluster.url, cluster.ca, { token: await issue() });
    const plain = await startService({ domain, flags: ['--store', 'crds', '--kubeconfig', kubeconfig] });
    try {
      expect((await plain.request('GET', quotas)).status).toBe(200);
      expect((await plain.request('GET', '/api/v1/namespaces/team/secrets')).status).toBe(403);
      expect((await plain.request('GET', quotas, { token: cluster.token })).status).toBe(200);
      expect((await plain.request('GET', quotas, { token: 'wrong' })).status).toBe(401);
    } finally {
      await plain.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('gives its leadership back when it ends, and ends cleanly', async () => {
    const other = await startService({ domain, flags: ['--store', 'crds', '--kubeconfig', cluster.kubeconfig] });
    const both = [service, other];
    for (const one of both) expect((await one.request('GET', `${quotas}/kept`)).status).toBe(200);
    const watches = await Promise.all(both.map((one) => one.open('GET', `${quotas}?watch=true`)));
    const ends = watches.map((watch) => readEvents(watch, [], () => false));
    // Requests are on their way while it ends: each is answered, or its connection refused.
    const codes = new Set<number>();
    const faults = new Set<string>();
    const load = Array.from({ length: 4 }, async () => {
      while (faults.size === 0) {
        await other.request('GET', quotas).then(
          ({ status }) => codes.add(status),
          (error: NodeJS.ErrnoException) => faults.add(error.code ?? ''),
        );
      }
    });
    await waitUntil('the load to run', async () => codes.size > 0);
    const ended = once(other.process, 'exit');
    other.process.kill('SIGTERM');
    await Promise.all([...load, ends[1], ended]);
    expect([...codes]).toEqual([200]);
    for (const fault of faults) expect(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']).toContain(fault);
    expect(await other.stop()).toBe(0);
    expect((await service.request('GET', `${quotas}/kept`)).status).toBe(200);
    const leaderEnded = once(service.process, 'exit');
    service.process.kill('SIGTERM');
    await Promise.all([ends[0], leaderEnded]);
    expect(await service.stop()).toBe(0);
    const lease = await cluster.request(
      'GET',
      '/apis/coordination.k8s.io/v1/namespaces/default/leases/bailiwick-operator',
    );
    expect(lease.body.spec.holderIdentity).toBe('');
    service = await startService({ domain, flags: ['--store', 'crds', '--kubeconfig', cluster.kubeconfig] });
  });

  it('answers 503 while the host is down, is not ready then, and ends cleanly all the same', async () => {
    const apiServer = cluster.pids.get('kube-apiserver') ?? 0;
    process.kill(apiServer, 'SIGSTOP');
    try {
      const stopped = await request('GET', '/readyz');
      expect(stopped.status).toBe(500);
    } finally {
      process.kill(apiServer, 'SIGCONT');
    }
    await waitUntil('the host to be back', async () => (await request('GET', '/readyz')).status === 200);
    process.kill(apiServer, 'SIGKILL');
    const answer = await request('GET', `${quotas}/kept`);
    expect(answer.status, answer.text).toBe(503);
    expect(answer.json).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable' });
    expect(await service.stop()).toBe(0);
  });

  it('refuses a kubeconfig that cannot be used, in one line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bailiwick-host-'));
    try {
      const words = ['operator/main.ts', '--store', 'crds', '--data-dir', folder, '--port', '0'];
      const result = await run(process.execPath, [...words, '--kubeconfig', join(folder, 'none')]).catch(
        (error: unknown) => error as { code: number; stderr: string },
      );
      expect(result).toMatchObject({ code: 1 });
      expect((result as { stderr: string }).stderr.trim().split('\n')).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
