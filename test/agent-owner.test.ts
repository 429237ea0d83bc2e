import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { AgentNode } from '../agent/status/agent-node.ts';
import { type AgentRun, startAgentProgram } from './agent/start-agent-program.ts';
import { clusterSkipReason } from './cluster/cluster-skip-reason.ts';
import { startCluster } from './cluster/start-cluster.ts';
import { describeRuntime } from './runtime/describe-runtime.ts';
import { startRuntime } from './runtime/start-runtime.ts';
import type { TestRuntime } from './runtime/test-runtime.ts';
import { startService } from './service/start-service.ts';

const statusSpec = 'Resources and their fields/Node status reported by the node agent';
const monitoring = ['--node-monitor-period=500ms', '--node-monitor-grace-period=6s', '--node-startup-grace-period=6s'];

/** An API that nodes are registered at, with a controller that watches them. */
interface NodeApi {
  readonly domain: string;
  readonly kubeconfig: string;
  request(
    method: string,
    path: string,
    options?: { body?: object; headers?: Record<string, string> },
  ): Promise<ApiAnswer>;
  stop(): Promise<unknown>;
}

interface ApiAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind, looked into by tests
  readonly json: any;
}

async function startOurs(domain: string): Promise<NodeApi> {
  const service = await startService({ domain, flags: monitoring });
  return {
    ...{ domain, kubeconfig: service.kubeconfig },
    request: (method, path, options = {}) => service.request(method, path, options),
    stop: () => service.stop(),
  };
}

async function startKubernetes(): Promise<NodeApi> {
  const cluster = await startCluster({
    controllerManager: true,
    controllerManagerFlags: ['--controllers=node-lifecycle-controller,garbage-collector-controller', ...monitoring],
  });
  return {
    ...{ domain: 'k8s.io', kubeconfig: cluster.kubeconfig },
    async request(method, path, options = {}) {
      const { status, body } = await cluster.request(method, path, options);
      return { status, json: body };
    },
    stop: () => cluster.stop(),
  };
}

const targets: readonly (readonly [string, string | undefined, () => Promise<NodeApi>])[] = [
  ['its own service, under a domain of its own', undefined, () => startOurs('acme.example')],
  ["Kubernetes' API server", clusterSkipReason(), startKubernetes],
];

describeRuntime(
  'an agent that owns its node',
  () => {
    for (const [name, reason, startApi] of targets) {
      const describeTarget = reason === undefined ? describe : describe.skip;
      describeTarget(`at ${name}${reason === undefined ? '' : ` (${reason})`}`, () => {
        let folder: string;
        let runtime: TestRuntime;
        let api: NodeApi;
        let agent: AgentRun;
        beforeAll(async () => {
          folder = await mkdtemp(join(tmpdir(), 'bailiwick-owner-'));
          [runtime, api] = await Promise.all([startRuntime(), startApi()]);
          agent = await start();
        });
        afterAll(async () => {
          await agent?.end();
          await api?.stop();
          await runtime?.stop();
          await rm(folder, { recursive: true, force: true });
        });

        async function start(): Promise<AgentRun> {
          const config = join(folder, 'agent.yaml');
          const lines = [
            `apiVersion: agent.config.${api.domain}/v1beta1`,
            'kind: AgentConfiguration',
            'nodeLeaseDurationSeconds: 4',
            'nodeStatusUpdateFrequency: 1s',
            'nodeStatusReportFrequency: 5m',
            // A disk that is nearly full all the time is not what is looked at here.
            'evictionHard: {memory.available: 100Mi}',
            'registerWithTaints: [{key: team, value: a, effect: PreferNoSchedule}]',
          ];
          await writeFile(config, `${lines.join('\n')}\n`);
          return startAgentProgram({
            nodeName: 'node-9',
            rootDir: join(folder, 'root'),
            flags: [
              ...['--mode', 'owner', '--kubeconfig', api.kubeconfig, '--domain', api.domain, '--config', config],
              ...['--container-runtime-endpoint', runtime.endpoint, '--log-level', 'debug'],
            ],
          });
        }

        async function readNode(): Promise<AgentNode> {
          return (await api.request('GET', '/api/v1/nodes/node-9')).json as AgentNode;
        }

        async function readState(type: string): Promise<string | undefined> {
          return (await readNode()).status?.conditions?.find((condition) => condition.type === type)?.status;
        }

        it(`registers it, with its labels, taints, status and Lease [${statusSpec}#1] [${statusSpec}#8]`, async () => {
          await expect.poll(() => readState('Ready')).toBe('True');
          const node = await readNode();
          expect(node.metadata.labels).toMatchObject({
            ...{ 'kubernetes.io/hostname': 'node-9', 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
          });
          await expect
            .poll(async () => (await readNode()).spec?.taints?.map(({ key }) => key).sort())
            .toEqual([`node.${api.domain}/no-pods`, 'team']);
          expect(node.status).toMatchObject({
            addresses: [{ type: 'InternalIP' }, { type: 'Hostname', address: 'node-9' }],
            capacity: { pods: '110' },
            daemonEndpoints: { kubeletEndpoint: { Port: Number(new URL(agent.url).port) } },
          });
          const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-9';
          await expect.poll(async () => (await api.request('GET', path)).status).toBe(200);
          const lease = (await api.request('GET', path)).json;
          expect(lease).toMatchObject({
            metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node-9', uid: node.metadata.uid }] },
            spec: { holderIdentity: 'node-9', leaseDurationSeconds: 4 },
          });
          const { json: own } = await agent.request('GET', '/status');
          expect(own.status.capacity).toEqual(node.status?.capacity);
          expect(own.status.allocatable).toEqual(node.status?.allocatable);
          expect(own.status.nodeInfo).toEqual(node.status?.nodeInfo);
        });

        it('tells of what becomes of it by Events', async () => {
          await expect
            .poll(async () => {
              const { json } = await api.request('GET', '/api/v1/namespaces/default/events');
              return (json.items as { involvedObject: { name: string }; reason: string }[])
                .filter(({ involvedObject }) => involvedObject.name === 'node-9')
                .map(({ reason }) => reason);
            })
            .toContain('NodeHasSufficientMemory');
        });

        it('writes its status when it changes, and not before it is due otherwise [Limits#14]', async () => {
          // What a machine that is busy changes of itself is written, too: not every few seconds is anything.
          await expect
            .poll(async () => {
              const { metadata: before } = await readNode();
              await new Promise((resolve) => setTimeout(resolve, 3_500));
              return (await readNode()).metadata.resourceVersion === before.resourceVersion;
            })
            .toBe(true);
          const patch = { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Test' }] } };
          const headers = { 'content-type': 'application/strategic-merge-patch+json' };
          const answer = await api.request('PATCH', '/api/v1/nodes/node-9/status', { body: patch, headers });
          expect(answer.status).toBe(200);
          await expect.poll(() => readState('Ready')).toBe('True');
        });

        it('leaves alone what others say of it', async () => {
          const status = {
            conditions: [{ type: 'NetworkUnavailable', status: 'True', reason: 'NoRouteCreated', message: 'no route' }],
            capacity: { 'acme.example/fpga': '2' },
            addresses: [{ type: 'ExternalIP', address: '203.0.113.7' }],
          };
          const headers = { 'content-type': 'application/strategic-merge-patch+json' };
          await api.request('PATCH', '/api/v1/nodes/node-9/status', { body: { status }, headers });
          await expect
            .poll(async () => (await readNode()).status?.allocatable)
            .toMatchObject({ 'acme.example/fpga': '2' });
          const node = await readNode();
          expect(node.status?.conditions).toContainEqual(expect.objectContaining(status.conditions[0]));
          expect(node.status?.addresses).toContainEqual(status.addresses[0]);
        });

        it(`is marked unknown when it is killed, and ready when it is back [${statusSpec}#8]`, async () => {
          await agent.end('SIGKILL');
          await agent.removeFolder();
          await expect.poll(() => readState('Ready'), { interval: 500 }).toBe('Unknown');
          await expect
            .poll(async () => (await readNode()).spec?.taints?.map(({ key }) => key))
            .toContain(api.domain === 'k8s.io' ? 'node.kubernetes.io/unreachable' : `node.${api.domain}/unreachable`);
          agent = await start();
          await expect.poll(() => readState('Ready'), { interval: 500 }).toBe('True');
          await expect
            .poll(async () => JSON.stringify((await readNode()).spec?.taints), { interval: 500 })
            .not.toContain('unreachable');
        });
      });
    }
  },
  { checkpoints: false },
);
