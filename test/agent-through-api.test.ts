import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { hasInMemory, listCheckpointFiles } from './agent/checkpoint-archives.ts';
import { startAgentProgram, type AgentRun } from './agent/start-agent-program.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { describeRuntime } from './runtime/describe-runtime.ts';
import { startRuntime } from './runtime/start-runtime.ts';
import type { TestRuntime } from './runtime/test-runtime.ts';
import { startService, type Service, type ServiceResponse } from './service/start-service.ts';

const text = 'what nothing but the memory has';
const reversed = [...text].toReversed().join('');

// With the domain of Kubernetes the group is one that has kinds of Kubernetes' own, too.
for (const domain of ['bailiwick.dev', 'k8s.io']) {
  describeRuntime(`checkpoints through the API service, with the domain ${domain}`, () => {
    const root = `/apis/node.${domain}/v1`;
    const checkpoints = `${root}/namespaces/shop/checkpoints`;
    let runtime: TestRuntime;
    let service: Service;
    const agents = new Map<string, AgentRun>();
    const tokens = { admin: '', view: '', nobody: '' };

    async function startAgent(nodeName: string): Promise<void> {
      const agent = await startAgentProgram({
        nodeName,
        rootDir: join(runtime.folder, nodeName),
        flags: [
          ...['--container-runtime-endpoint', runtime.endpoint, '--kubeconfig', service.kubeconfig],
          ...['--domain', domain],
        ],
      });
      agents.set(nodeName, agent);
    }

    /** A pod that the service holds as bound to a node, and that runs there. */
    async function runPod(name: string, nodeName: string, memoryMiB = 8): Promise<void> {
      const spec = { nodeName, containers: [{ name: 'app', image: 'localhost/workload:1' }] };
      const made = await service.request('POST', '/api/v1/namespaces/shop/pods', {
        body: { metadata: { name }, spec },
      });
      expect(made.status).toBe(201);
      const pod = await runtime.runPod({ namespace: 'shop', name, containers: [{ name: 'app', memoryMiB, text }] });
      await runtime.waitUntilCountsOn(pod, 'app');
    }

    async function makeUser(name: keyof typeof tokens): Promise<void> {
      const accounts = '/api/v1/namespaces/shop/serviceaccounts';
      await service.request('POST', accounts, { body: { metadata: { name } } });
      const token = await service.request('POST', `${accounts}/${name}/token`, { body: { spec: {} } });
      tokens[name] = token.json.status.token as string;
      if (name === 'nobody') return;
      const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings';
      await service.request('POST', bindings, {
        body: {
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
          subjects: [{ kind: 'ServiceAccount', name, namespace: 'shop' }],
        },
      });
    }

    function checkpoint(pod: string, query = '', token = tokens.admin): Promise<ServiceResponse> {
      return service.request('POST', `${root}/namespaces/shop/pods/${pod}/checkpoint${query}`, { token });
    }

    beforeAll(async () => {
      [runtime, service] = await Promise.all([startRuntime(), startService({ domain })]);
      await service.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'shop' } } });
      for (const name of ['admin', 'view', 'nobody'] as const) await makeUser(name);
      await Promise.all(['node-1', 'node-2'].map((name) => startAgent(name)));
      await runPod('web-0', 'node-1');
      await runPod('web-1', 'node-2');
      // An agent is trusted once its certificate is issued, and roles take effect when they are collected.
      const areTrusted = waitUntil(
        'agents that are trusted',
        async () => {
          const answer = await service.request('GET', checkpoints, { token: tokens.view });
          return answer.status === 200 && answer.headers['warning'] === undefined && agents.size === 2;
        },
        60_000,
      );
      await areTrusted.catch((error: unknown) => {
        const logs = [service, ...agents.values()].map((program) => program.readLog().slice(-3000));
        throw new Error(`${String(error)}\n${logs.join('\n\n')}`);
      });
    });

    afterAll(async () => {
      for (const agent of agents.values()) await agent.end();
      await service?.stop();
      await runtime?.stop();
    });

    it('are made on the node of the pod, listed, fetched, pinned and deleted by those who may', async () => {
      const made = await checkpoint('web-0');
      expect(made.text).toContain('"kind":"Checkpoint"');
      expect(made.status).toBe(201);
      expect(made.json).toMatchObject({
        apiVersion: `node.${domain}/v1`,
        metadata: { namespace: 'shop' },
        spec: { podName: 'web-0', containerName: 'app', nodeName: 'node-1' },
        status: { phase: 'Completed' },
      });
      const name = made.json.metadata.name as string;
      const other = await checkpoint('web-1', '?container=app&timeoutSeconds=50');
      expect(other.json.spec).toMatchObject({ podName: 'web-1', nodeName: 'node-2' });

      const list = await service.request('GET', checkpoints, { token: tokens.view });
      expect(list.json.items.map((item: { spec: { nodeName: string } }) => item.spec.nodeName)).toEqual([
        'node-1',
        'node-2',
      ]);
      const got = await service.request('GET', `${checkpoints}/${name}`, { token: tokens.view });
      expect(got.json).toEqual(made.json);

      const pin = {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { spec: { pinned: true } },
      };
      expect((await service.request('PATCH', `${checkpoints}/${name}`, { ...pin, token: tokens.view })).status).toBe(
        403,
      );
      const pinned = await service.request('PATCH', `${checkpoints}/${name}`, { ...pin, token: tokens.admin });
      expect(pinned.json.spec.pinned).toBe(true);
      const selector = 'fieldSelector=spec.pinned%3Dtrue';
      const selected = await service.request('GET', `${root}/checkpoints?${selector}`);
      expect(selected.json.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([name]);

      expect((await service.request('DELETE', `${checkpoints}/${name}`, { token: tokens.view })).status).toBe(403);
      expect((await service.request('DELETE', `${checkpoints}/${name}`, { token: tokens.admin })).status).toBe(200);
      expect((await service.request('GET', `${checkpoints}/${name}`)).status).toBe(404);
      expect(await listCheckpointFiles(join(runtime.folder, 'node-1'))).toEqual([]);
    });

    it('are streamed as they are made, and their archives as they are: with the memory of the container', async () => {
      const stream = await service.open('POST', `${root}/namespaces/shop/pods/web-0/checkpoint?progress=true`, {
        token: tokens.admin,
      });
      expect(stream.statusCode).toBe(200);
      const lines: {
        type: string;
        phase?: string;
        checkpoint?: { metadata: { name: string }; status: { sizeBytes: number } };
      }[] = [];
      for await (const line of createInterface({ input: stream })) lines.push(JSON.parse(line));
      const done = lines.at(-1);
      expect(lines.map(({ type }) => type)).toEqual([...lines.slice(1).map(() => 'Progress'), 'Done']);
      expect(lines.some(({ phase }) => phase === 'Dumping')).toBe(true);

      const path = `${checkpoints}/${done?.checkpoint?.metadata.name}/archive`;
      expect((await service.request('GET', path, { token: tokens.view })).status).toBe(403);
      const archive = await service.open('GET', path, { token: tokens.admin });
      const file = join(runtime.folder, 'fetched.tar');
      expect(archive.headers['content-length']).toBe(String(done?.checkpoint?.status.sizeBytes));
      await pipeline(archive, createWriteStream(file));
      expect(await hasInMemory(file, reversed)).toBe(true);
      const part = await service.request('GET', path, { token: tokens.admin, headers: { range: 'bytes=0-9' } });
      expect([part.status, part.headers['content-length']]).toEqual([206, '10']);

      const restored = await runtime.runPod({
        namespace: 'shop',
        name: 'restored',
        containers: [{ name: 'app', restoredFrom: file }],
      });
      await runtime.waitUntilCountsOn(restored, 'app');
    });

    it.for<[name: string, user: keyof typeof tokens, path: string, method: string]>([
      ['a viewer who makes one', 'view', 'pods/web-0/checkpoint', 'POST'],
      ['nobody who makes one', 'nobody', 'pods/web-0/checkpoint', 'POST'],
      ['nobody who lists', 'nobody', 'checkpoints', 'GET'],
      ['nobody who reads an archive', 'nobody', 'checkpoints/x/archive', 'GET'],
    ])('refuse %s', async ([, user, path, method]) => {
      const answer = await service.request(method, `${root}/namespaces/shop/${path}`, { token: tokens[user] });
      expect(answer.json).toMatchObject({ code: 403, reason: 'Forbidden' });
    });

    it('are refused by a policy that says so', async () => {
      const policies = `/apis/admissionregistration.${domain}/v1`;
      const rule = {
        ...{ apiGroups: [`node.${domain}`], apiVersions: ['v1'], resources: ['pods/checkpoint'] },
        operations: ['CONNECT'],
      };
      const metadata = { name: 'short' };
      const validations = [{ expression: 'object.?timeoutSeconds.orValue(60) < 100', message: 'be brief' }];
      await service.request('POST', `${policies}/validatingadmissionpolicies`, {
        body: { metadata, spec: { matchConstraints: { resourceRules: [rule] }, validations } },
      });
      await service.request('POST', `${policies}/validatingadmissionpolicybindings`, {
        body: { metadata, spec: { policyName: 'short', validationActions: ['Deny'] } },
      });
      await waitUntil('the policy to be in force', async () => {
        const { json } = await checkpoint('web-0', '?timeoutSeconds=100');
        return json.code === 422 && json.message.endsWith('denied request: be brief');
      });
      expect((await checkpoint('web-0', '?timeoutSeconds=99')).status).toBe(201);
    });

    it('tell of a container that does not run, in the words of its node', async () => {
      const spec = { nodeName: 'node-1', containers: [{ name: 'app', image: 'i' }] };
      await service.request('POST', '/api/v1/namespaces/shop/pods', { body: { metadata: { name: 'idle' }, spec } });
      const answer = await checkpoint('idle');
      expect(answer.json).toMatchObject({ code: 404, reason: 'NotFound', message: 'pod does not exist' });
    });

    it('are called off when their client goes', async () => {
      await runPod('large', 'node-1', 700);
      const folder = join(runtime.folder, 'node-1');
      const before = await listCheckpointFiles(folder);
      const stream = await service.open('POST', `${root}/namespaces/shop/pods/large/checkpoint?progress=true`);
      for await (const line of createInterface({ input: stream })) if (line.includes('Dumping')) break;
      stream.destroy();
      await waitUntil('the agent to be idle', async () => {
        const metrics = await agents.get('node-1')?.request('GET', '/metrics');
        return /^bailiwick_agent_checkpoints_total\{result="Canceled"\} 1$/m.test(metrics?.text ?? '');
      });
      expect(await listCheckpointFiles(folder)).toEqual(before);
    });

    it('of a node whose agent is gone are missing from lists, which say so', async () => {
      await agents.get('node-2')?.end('SIGKILL');
      const list = await service.request('GET', checkpoints, { token: tokens.view });
      expect(list.headers['warning']).toContain('these nodes did not answer: node-2');
      const answer = await checkpoint('web-1');
      expect(answer.json).toMatchObject({
        code: 503,
        message: 'the agent of node "node-2" cannot be asked: the connection was refused',
      });
      await agents.get('node-2')?.removeFolder();
      agents.delete('node-2');
      await startAgent('node-2');
      await waitUntil('the agent to be back', async () => (await checkpoint('web-1')).status === 201);
    });

    it('go with their namespace', async () => {
      expect((await checkpoint('web-0')).status).toBe(201);
      await service.request('DELETE', '/api/v1/namespaces/shop?gracePeriodSeconds=0');
      await service.request('DELETE', '/api/v1/namespaces/shop/pods?gracePeriodSeconds=0');
      await waitUntil('the namespace to be gone', async () => {
        return (await service.request('GET', '/api/v1/namespaces/shop')).status === 404;
      });
      for (const nodeName of agents.keys()) {
        expect(await listCheckpointFiles(join(runtime.folder, nodeName))).toEqual([]);
      }
    });
  });
}
