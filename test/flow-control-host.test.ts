import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as sendHttps } from 'node:https';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { installCrds } from './crds/install-crds.ts';
import { startService, type Service } from './service/start-service.ts';

const domain = 'flows.example';
const flowVersion = `flowcontrol.apiserver.${domain}/v1`;
const flows = `/apis/${flowVersion}`;
const quotas = '/api/v1/namespaces/team/resourcequotas';
const schemaHeader = 'x-kubernetes-pf-flowschema-uid';
const levelHeader = 'x-kubernetes-pf-prioritylevel-uid';
const body = JSON.stringify({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'slow' }, spec: {} });

describeCluster('flow control before a host', () => {
  let cluster: Cluster;
  let service: Service;
  let token: string;
  const uids: Record<string, string> = {};

  async function create(path: string, object: { readonly kind: string; readonly spec: object }): Promise<void> {
    const created = await service.request('POST', path, { body: object });
    expect(created.status, created.text).toBe(201);
    uids[object.kind] = created.json.metadata.uid;
  }

  /** Sends a creation of a quota but for the end of its body. */
  function beginCreation(search = ''): ClientRequest {
    const call = sendHttps(new URL(quotas + search, service.url), {
      method: 'POST',
      agent: new Agent({ rejectUnauthorized: false }),
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        'content-length': Buffer.byteLength(body),
      },
    });
    call.write(body.slice(0, 10));
    return call;
  }

  async function awaitFreeSeat(): Promise<void> {
    await waitUntil('the seat to be free', async () => {
      const { status } = await service.request('GET', `${quotas}/none`, { token });
      return status === 404;
    });
  }

  beforeAll(async () => {
    cluster = await startCluster({ apiServerFlags: ['--disable-admission-plugins=ServiceAccount'] });
    await installCrds(cluster, domain);
    service = await startService({
      domain,
      flags: [
        ...['--store', 'crds', '--kubeconfig', cluster.kubeconfig],
        // A seat for every level that has a share at all.
        ...['--max-requests-inflight', '1', '--max-mutating-requests-inflight', '1'],
      ],
    });
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'team' } } });
    const accounts = '/api/v1/namespaces/team/serviceaccounts';
    await cluster.request('POST', accounts, { body: { metadata: { name: 'builder' } } });
    const issued = await cluster.request('POST', `${accounts}/builder/token`, { body: { spec: {} } });
    token = issued.body.status.token;
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await cluster.request('POST', `${rbac}/clusterrolebindings`, {
      body: {
        metadata: { name: 'builder' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', namespace: 'team', name: 'builder' }],
      },
    });
    await create(`${flows}/prioritylevelconfigurations`, {
      ...{ apiVersion: flowVersion, kind: 'PriorityLevelConfiguration', metadata: { name: 'narrow' } },
      spec: {
        type: 'Limited',
        limited: {
          ...{ nominalConcurrencyShares: 1, lendablePercent: 0, borrowingLimitPercent: 1 },
          limitResponse: { type: 'Reject' },
        },
      },
    });
    await create(`${flows}/flowschemas`, {
      ...{ apiVersion: flowVersion, kind: 'FlowSchema', metadata: { name: 'builders' } },
      spec: {
        ...{ matchingPrecedence: 50, priorityLevelConfiguration: { name: 'narrow' } },
        rules: [
          {
            subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'team', name: '*' } }],
            resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['resourcequotas'], namespaces: ['*'] }],
          },
        ],
      },
    });
    await waitUntil('the schema to be in force', async () => {
      const answer = await service.request('GET', `${quotas}/none`, { token });
      return answer.headers[schemaHeader] === uids['FlowSchema'];
    });
  });
  afterAll(async () => {
    await service?.stop();
    await cluster?.stop();
  });

  it('says in answers of the host which objects took the request here', async () => {
    const answer = await service.request('GET', `${quotas}/none`, { token });
    expect([answer.status, answer.headers[schemaHeader], answer.headers[levelHeader]]).toEqual([
      404,
      uids['FlowSchema'],
      uids['PriorityLevelConfiguration'],
    ]);
    const [schemas] = (await service.request('GET', `${flows}/flowschemas?fieldSelector=metadata.name=exempt`)).json
      .items;
    expect((await service.request('GET', '/api/v1/nodes')).headers[schemaHeader]).toBe(schemas.metadata.uid);
  });

  it('refuses what has no seat, and shows who has it', async () => {
    const call = beginCreation();
    const answered = once(call, 'response') as Promise<[IncomingMessage]>;
    const dumps = '/debug/api_priority_and_fairness';
    await waitUntil('the request to have its seat', async () => {
      const { text } = await service.request('GET', `${dumps}/dump_executing_requests`);
      return /^narrow, +builders, .*system:serviceaccount:team:builder, +create, /m.test(text);
    });
    const refused = await service.request('GET', `${quotas}/none`, { token });
    expect(refused.json).toMatchObject({ code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } });
    expect(refused.headers['retry-after']).toBe('1');
    // Others have seats of their own.
    expect((await service.request('GET', `${quotas}/none`)).status).toBe(404);
    call.end(body.slice(10));
    const [answer] = await answered;
    expect(answer.statusCode).toBe(201);
    answer.resume();
    await once(answer, 'end');
    expect((await service.request('GET', `${quotas}/none`, { token })).status).toBe(404);
  });

  it('takes a seat back when the time is over, though the body never comes', async () => {
    const call = beginCreation('?timeout=1s');
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers['connection']]).toEqual([504, 'close']);
    await awaitFreeSeat();
    call.destroy();
  });

  it('seats a watch only while it starts', async () => {
    const watches = await Promise.all([1, 2].map(() => service.open('GET', `${quotas}?watch=1`, { token })));
    // Two at once may meet; one after the other they never do.
    expect(watches.some(({ statusCode }) => statusCode === 200)).toBe(true);
    const another = await service.open('GET', `${quotas}?watch=1`, { token });
    expect(another.statusCode).toBe(200);
    expect((await service.request('GET', `${quotas}/none`, { token })).status).toBe(404);
    for (const watch of [...watches, another]) watch.destroy();
  });

  it('reviews which flow a request falls in', async () => {
    const answer = await service.request('POST', `/apis/review.${domain}/v1/flowreviews`, {
      body: {
        ...{ apiVersion: `review.${domain}/v1`, kind: 'FlowReview' },
        spec: { path: quotas, user: 'system:serviceaccount:team:builder', groups: ['system:authenticated'] },
      },
    });
    expect(answer.json.status).toMatchObject({
      ...{ subject: true, flowSchema: 'builders', priorityLevel: 'narrow', flowSchemaUID: uids['FlowSchema'] },
    });
  });
});
