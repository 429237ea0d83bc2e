import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as sendHttps } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { hasInMemory, listCheckpointFiles } from './agent/checkpoint-archives.ts';
import { startAgentProgram, type AgentRun } from './agent/start-agent-program.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { installCrds } from './crds/install-crds.ts';
import { describeRuntime } from './runtime/describe-runtime.ts';
import { startRuntime } from './runtime/start-runtime.ts';
import type { TestRuntime } from './runtime/test-runtime.ts';
import { startService, type Service } from './service/start-service.ts';

const domain = 'nodes.example';
const root = `/apis/node.${domain}/v1`;
const checkpoints = `${root}/namespaces/shop/checkpoints`;
const text = 'what nothing but the memory has';
const reversed = [...text].toReversed().join('');

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** An address of this machine that others reach it by, as agents in pods have one. */
function findOwnAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  return found?.address ?? '127.0.0.1';
}

describeCluster("checkpoints through a host's aggregator", () => {
  describeRuntime('with an agent and a runtime', () => {
    let cluster: Cluster;
    let service: Service;
    let runtime: TestRuntime;
    let agent: AgentRun;
    const asAnn = { 'impersonate-user': 'ann', 'impersonate-group': 'devs' };

    async function create(path: string, body: object): Promise<void> {
      const { status, body: answer } = await cluster.request('POST', path, { body });
      expect(status, JSON.stringify(answer)).toBe(201);
    }

    function checkpoint(query = '', headers: Record<string, string> = {}) {
      return cluster.request('POST', `${root}/namespaces/shop/pods/web-0/checkpoint${query}`, { headers });
    }

    /** Calls the host, and leaves its answer to be read. */
    function open(method: string, path: string): Promise<IncomingMessage> {
      return new Promise((resolve, reject) => {
        const sent = sendHttps(
          new URL(path, cluster.url),
          { method, rejectUnauthorized: false, agent: false, headers: { authorization: `Bearer ${cluster.token}` } },
          resolve,
        );
        sent.on('error', reject);
        sent.end();
      });
    }

    beforeAll(async () => {
      [cluster, runtime] = await Promise.all([
        startCluster({ controllerManager: true, apiServerFlags: ['--disable-admission-plugins=ServiceAccount'] }),
        startRuntime(),
      ]);
      await installCrds(cluster, domain);
      const port = await findFreePort();
      const flags = ['--store', 'crds', '--kubeconfig', cluster.kubeconfig, '--agents', 'on'];
      service = await startService({ domain, flags: [...flags, '--aggregated-port', String(port)] });
      await create('/api/v1/namespaces', { metadata: { name: 'shop' } });
      await create('/api/v1/namespaces/default/services', {
        metadata: { name: 'operator' },
        spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
      });
      await create('/apis/apiregistration.k8s.io/v1/apiservices', {
        metadata: { name: `v1.node.${domain}` },
        spec: {
          ...{ group: `node.${domain}`, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
          ...{ insecureSkipTLSVerify: true, service: { namespace: 'default', name: 'operator', port } },
        },
      });
      // As whom an operator calls agents that runs outside of the host.
      await create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bailiwick-operator' } });
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      await create(`${rbac}/clusterroles`, {
        metadata: { name: 'agents' },
        rules: [
          { apiGroups: [''], resources: ['nodes/checkpoint'], verbs: ['create', 'get', 'list', 'update', 'delete'] },
        ],
      });
      await create(`${rbac}/clusterrolebindings`, {
        metadata: { name: 'agents' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'agents' },
        subjects: [{ kind: 'ServiceAccount', name: 'bailiwick-operator', namespace: 'default' }],
      });
      await create('/api/v1/nodes', {
        metadata: { name: 'node-1' },
        status: { addresses: [{ type: 'InternalIP', address: findOwnAddress() }] },
      });
      await create('/api/v1/namespaces/shop/pods', {
        metadata: { name: 'web-0' },
        spec: { nodeName: 'node-1', tolerations: [{ operator: 'Exists' }], containers: [{ name: 'app', image: 'i' }] },
      });
      agent = await startAgentProgram({
        rootDir: join(runtime.folder, 'agent'),
        flags: [
          ...['--container-runtime-endpoint', runtime.endpoint, '--kubeconfig', cluster.kubeconfig],
          ...['--domain', domain, '--namespace', 'default', '--address', findOwnAddress()],
        ],
      });
      const pod = await runtime.runPod({
        namespace: 'shop',
        name: 'web-0',
        containers: [{ name: 'app', memoryMiB: 16, text }],
      });
      await runtime.waitUntilCountsOn(pod, 'app');
      let last: unknown;
      await waitUntil(
        'a checkpoint through the aggregator',
        async () => {
          const answer = await checkpoint();
          last = answer.body;
          return answer.status === 201;
        },
        60_000,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(last)}\n${agent.readLog()}\n${service.readLog()}`);
      });
    });

    afterAll(async () => {
      await agent?.end();
      await service?.stop();
      await runtime?.stop();
      await cluster?.stop();
    });

    it('are discovered at the host, the request of a pod included', async () => {
      const { body } = await cluster.request('GET', root);
      expect(body.resources.map(({ name }: { name: string }) => name)).toEqual([
        'checkpoints',
        'checkpoints/archive',
        'pods/checkpoint',
      ]);
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      await waitUntil('the host to collect it', async () => {
        const { body: groups } = await cluster.request('GET', '/apis', { headers: { accept } });
        const group = groups.items.find(
          (item: { metadata: { name: string } }) => item.metadata.name === `node.${domain}`,
        );
        return JSON.stringify(group ?? '').includes('"subresource":"checkpoint"');
      });
      const own = await service.request('GET', '/apis');
      expect(own.json.groups.filter(({ name }: { name: string }) => name === `node.${domain}`).length).toBe(1);
    });

    it('are made for those who have the right in the namespace', async () => {
      const refused = await checkpoint('', asAnn);
      expect(refused.body).toMatchObject({
        code: 403,
        message: `pods.node.${domain} "web-0" is forbidden: User "ann" cannot create resource "pods/checkpoint" in API group "node.${domain}" in the namespace "shop"`,
      });
      const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop';
      const rule = { apiGroups: [`node.${domain}`], resources: ['pods/checkpoint'], verbs: ['create'] };
      await create(`${rbac}/roles`, { metadata: { name: 'checkpointer' }, rules: [rule] });
      await create(`${rbac}/rolebindings`, {
        metadata: { name: 'checkpointer' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'checkpointer' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
      });
      await waitUntil('the role to count', async () => (await checkpoint('', asAnn)).status === 201, 30_000);
      const listed = await cluster.request('GET', checkpoints, { headers: asAnn });
      expect(listed.status).toBe(403);
      const { body } = await cluster.request('GET', checkpoints);
      expect(body.items.length).toBeGreaterThan(1);
      expect((await service.request('GET', checkpoints)).json.items).toEqual(body.items);
    });

    it('are streamed line by line, and archives as they are', async () => {
      const stream = await open(
        'POST',
        `${root}/namespaces/shop/pods/web-0/checkpoint?progress=true&timeoutSeconds=40`,
      );
      const types: string[] = [];
      let name = '';
      for await (const line of createInterface({ input: stream })) {
        const read = JSON.parse(line);
        types.push(read.type);
        name = read.checkpoint?.metadata.name ?? '';
      }
      expect([types[0], types.at(-1)]).toEqual(['Progress', 'Done']);
      const archive = await open('GET', `${checkpoints}/${name}/archive`);
      const file = join(runtime.folder, 'fetched.tar');
      await pipeline(archive, createWriteStream(file));
      expect(await hasInMemory(file, reversed)).toBe(true);
      const part = await cluster.request('GET', `${checkpoints}/${name}/archive`, { headers: { range: 'bytes=5-9' } });
      expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 5-9/${(await stat(file)).size}`]);
    });

    it('take their time as `timeoutSeconds`: the host keeps `timeout` to itself', async () => {
      const refused = await checkpoint('?timeout=30');
      expect(refused.body.message).toBe(
        'invalid timeout specified in the request URL - time: missing unit in duration "30"',
      );
      expect((await checkpoint('?timeout=30s')).status).toBe(201);
      expect((await checkpoint('?timeoutSeconds=30')).status).toBe(201);
    });

    it('go with their namespace, as the host deletes what is in it', async () => {
      await cluster.request('DELETE', '/api/v1/namespaces/shop/pods/web-0?gracePeriodSeconds=0');
      await cluster.request('DELETE', '/api/v1/namespaces/shop');
      await waitUntil('the namespace to be gone', async () => {
        return (await cluster.request('GET', '/api/v1/namespaces/shop')).status === 404;
      });
      expect(await listCheckpointFiles(join(runtime.folder, 'agent'))).toEqual([]);
    });
  });
});
