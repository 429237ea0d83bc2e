import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { fileURLToPath } from 'node:url';

import type { NodeCondition } from '../kinds/core/node/node-object.ts';
import { notifySkipReason, openNotifySocket } from './agent/open-notify-socket.ts';
import {
  type AgentProgramOptions,
  type AgentRun,
  runAgentToEnd,
  startAgentProgram,
} from './agent/start-agent-program.ts';
import type { PrintedStatus, PrintRequest } from './agent/print-node-status.ts';
import { containerdSocket } from './cluster/containerd-files.ts';
import { describeNode } from './cluster/describe-node.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import { startNodeCluster } from './cluster/start-node-cluster.ts';
import { describeRuntime } from './runtime/describe-runtime.ts';
import { startRuntime } from './runtime/start-runtime.ts';
import type { TestRuntime } from './runtime/test-runtime.ts';
import { type Service, startService } from './service/start-service.ts';

const statusSpec = 'Resources and their fields/Node status reported by the node agent';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind, looked into by tests
type Answer = any;

const isSoak = process.env['BAILIWICK_SOAK'] === '1';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bailiwick-presence-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts an agent that is gone when its test is over, however that ends. */
async function start(options: AgentProgramOptions): Promise<AgentRun> {
  const agent = await startAgentProgram(options);
  started.push(agent);
  return agent;
}

const started: AgentRun[] = [];
afterEach(async () => {
  for (const agent of started.splice(0)) {
    if (agent.process.exitCode !== null || agent.process.signalCode !== null) continue;
    await agent.end('SIGKILL');
    await agent.removeFolder();
  }
});

/** What is read twice the same, half a second apart: a renewal may have been under way. */
async function readSettled<T>(read: () => Promise<T>): Promise<T> {
  let last = await read();
  const isSettled = async (): Promise<boolean> => {
    const before = JSON.stringify(last);
    last = await read();
    return JSON.stringify(last) === before;
  };
  await new Promise((resolve) => setTimeout(resolve, 500));
  await expect.poll(isSettled, { interval: 500 }).toBe(true);
  return last;
}

/** A config file with these lines after its head. */
async function writeConfig(name: string, lines: readonly string[], domain = 'bailiwick.dev'): Promise<string> {
  const path = join(folder, name);
  await writeFile(
    path,
    [`apiVersion: agent.config.${domain}/v1beta1`, 'kind: AgentConfiguration', ...lines, ''].join('\n'),
  );
  return path;
}

const skipReason = notifySkipReason();
const describeNotify = skipReason === undefined ? describe : describe.skip;

describeNotify(`a service manager${skipReason === undefined ? '' : ` (${skipReason})`}`, () => {
  it('hears that the agent is ready, that it is well at half of WatchdogSec, and that it ends [Limits#16] [Versioning#13]', async () => {
    const socket = await openNotifySocket();
    const agent = await start({ environment: { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '3000000' } });
    try {
      const { senderId } = await socket.waitFor('READY=1');
      // A service manager believes the main process alone, unless it is told otherwise.
      if (process.getuid?.() === 0) expect(senderId).toBe(agent.process.pid);
      await socket.waitFor('WATCHDOG=1', 5);
      const times = socket.received.filter(({ text }) => text === 'WATCHDOG=1').map(({ atMillis }) => atMillis);
      const gaps = times.slice(1).map((atMillis, i) => atMillis - (times[i] ?? 0));
      // A machine that is busy makes one late, and the gap to the next one short.
      expect(Math.min(...gaps)).toBeLessThan(2_000);
      const median = gaps.toSorted((left, right) => left - right)[Math.floor(gaps.length / 2)];
      expect(median).toBeGreaterThan(1_200);
      expect(median).toBeLessThan(2_600);
      expect(await agent.end()).toBe(0);
      await socket.waitFor('STOPPING=1');
      const words = socket.received.map(({ text }) => text).filter((text) => text !== 'WATCHDOG=1');
      expect(words).toEqual(['READY=1', 'STOPPING=1']);
    } finally {
      await agent.end();
      await socket.close();
    }
  });

  it.for([
    ['is unset', {}],
    ['is 0', { WATCHDOG_USEC: '0' }],
    ['is meant for another process', { WATCHDOG_USEC: '1000000', WATCHDOG_PID: '1' }],
  ] as const)('hears no WATCHDOG=1 when WatchdogSec %s [Limits#16]', async ([, environment]) => {
    const socket = await openNotifySocket();
    const agent = await start({ environment: { NOTIFY_SOCKET: socket.path, ...environment } });
    await socket.waitFor('READY=1');
    expect(await agent.end()).toBe(0);
    await socket.waitFor('STOPPING=1');
    expect(socket.received.map(({ text }) => text)).toEqual(['READY=1', 'STOPPING=1']);
    await socket.close();
  });

  it('hears no WATCHDOG=1 when the feature gate is off [Versioning#13]', async () => {
    const socket = await openNotifySocket();
    const environment = { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '1000000' };
    const agent = await start({ environment, flags: ['--feature-gates', 'SystemdWatchdog=false'] });
    await socket.waitFor('READY=1');
    await agent.end();
    await socket.waitFor('STOPPING=1');
    expect(socket.received.map(({ text }) => text)).toEqual(['READY=1', 'STOPPING=1']);
    await socket.close();
  });

  it.for([
    ['900000', 'configure watchdog timeout too small: 900ms'],
    ['-1', 'configure watchdog: error WATCHDOG_USEC must be a positive number'],
  ] as const)('that asks for %s µs is refused at start [Limits#16]', async ([micros, message]) => {
    const words = ['--root-dir', join(folder, 'refused'), '--port', '0'];
    const { code, log } = await runAgentToEnd(words, { WATCHDOG_USEC: micros });
    expect([code, log]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('the lock file of an agent', () => {
  it('lets one agent run, and the next when that is gone, killed too [Resources and their fields/Node agent local files and sockets#16]', async () => {
    const path = join(folder, 'agent.lock');
    const flags = ['--lock-file', path];
    const first = await start({ flags });
    const words = ['--root-dir', join(folder, 'second'), '--port', '0', ...flags];
    const second = await runAgentToEnd(words);
    expect(second.code).toBe(1);
    expect(second.log).toContain(`unable to acquire file lock on "${path}": another process holds it`);
    await first.end('SIGKILL');
    await first.removeFolder();
    const third = await start({ flags });
    expect(await third.end()).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is given up for another agent by one that was told to', async () => {
    const flags = ['--lock-file', join(folder, 'handed.lock')];
    const first = await start({ flags: [...flags, '--exit-on-lock-contention'] });
    const exited = once(first.process, 'exit');
    const second = await start({ flags });
    expect(await exited).toEqual([0, null]);
    await first.removeFolder();
    expect(await second.end()).toBe(0);
  });

  it('of the root directory is there without being asked for: the next agent waits until the first has ended', async () => {
    const rootDir = join(folder, 'shared');
    const first = await start({ rootDir });
    const starting = start({ rootDir });
    const { ino } = await stat(join(rootDir, '.lock'));
    const isWaiting = new RegExp(`-> FLOCK .*:${ino} `);
    await expect.poll(() => readFile('/proc/locks', 'utf8')).toMatch(isWaiting);
    expect((await first.request('GET', '/checkpoints')).status).toBe(200);
    expect(await first.end()).toBe(0);
    const second = await starting;
    expect((await second.request('GET', '/checkpoints')).status).toBe(200);
    await second.end('SIGKILL');
    const third = await start({ rootDir });
    expect(await third.end()).toBe(0);
  });

  it('must be named where it is to be given up', async () => {
    const words = ['--root-dir', join(folder, 'unnamed'), '--port', '0', '--exit-on-lock-contention'];
    const { code, log } = await runAgentToEnd(words);
    expect(code).not.toBe(0);
    expect(log).toContain('cannot exit on lock file contention: no lock file specified');
  });
});

describe('the check of the kernel', () => {
  it('says what the machine has, what it lacks and what that costs [Limits#18]', async () => {
    const { code, output } = await runAgentToEnd(['check', '--output', 'json']);
    const features = JSON.parse(output) as { name: string; isMet: boolean; found: string; cost: string }[];
    expect(features).toHaveLength(17);
    for (const { cost, found } of features) expect([cost, found]).not.toContain('');
    const missing = features.filter(({ isMet }) => !isMet);
    expect(code).toBe(missing.length === 0 ? 0 : 1);
    const text = await runAgentToEnd(['check']);
    expect(text.code).toBe(code);
    for (const { name, cost } of missing)
      expect(text.output).toMatch(new RegExp(`missing  ${name}.*\\n +costs: ${cost}`));
  });
});

describe('an agent beside a kubelet', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ domain: 'acme.example' });
  });
  afterAll(() => service.stop());

  it('keeps a Lease that says where it is, and leaves it behind when it is gone [Limits#15]', async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/bailiwick-agent-node-7';
    const config = await writeConfig('lease.yaml', ['nodeLeaseDurationSeconds: 4'], 'acme.example');
    const agent = await start({
      nodeName: 'node-7',
      flags: [
        ...['--kubeconfig', service.kubeconfig, '--domain', 'acme.example', '--namespace', 'kube-system'],
        ...['--config', config, '--log-level', 'debug'],
      ],
    });
    await expect.poll(async () => (await service.request('GET', path)).status).toBe(200);
    const read = async () => (await service.request('GET', path)).json;
    const first = await read();
    expect(first).toMatchObject({
      metadata: {
        annotations: { 'node.acme.example/agent-endpoint': agent.url },
        labels: { 'app.kubernetes.io/component': 'agent' },
      },
      spec: { holderIdentity: 'node-7', leaseDurationSeconds: 4 },
    });
    await expect.poll(async () => (await read()).spec.renewTime).not.toBe(first.spec.renewTime);
    await agent.end('SIGKILL');
    await agent.removeFolder();
    const last = await readSettled(read);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await read()).toEqual(last);
  });

  it('runs on while the API is away, and renews its Lease when it is back [Limits#15]', async () => {
    const sockets = new Set<Socket>();
    const proxy = createServer((socket) => {
      const target = connect(Number(new URL(service.url).port), '127.0.0.1');
      for (const one of [socket, target]) {
        sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          sockets.delete(one);
          socket.destroy();
          target.destroy();
        });
      }
      socket.pipe(target).pipe(socket);
    });
    const listen = async (port: number) => {
      proxy.listen(port, '127.0.0.1');
      await once(proxy, 'listening');
    };
    await listen(0);
    const { port } = proxy.address() as AddressInfo;
    const kubeconfig = join(folder, 'proxied.kubeconfig');
    await writeFile(
      kubeconfig,
      (await readFile(service.kubeconfig, 'utf8')).replace(service.url, `https://127.0.0.1:${port}`),
    );
    const config = await writeConfig('away.yaml', ['nodeLeaseDurationSeconds: 4'], 'acme.example');
    const agent = await start({
      flags: ['--kubeconfig', kubeconfig, '--domain', 'acme.example', '--namespace', 'kube-system', '--config', config],
    });
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/bailiwick-agent-node-1';
    await expect.poll(async () => (await service.request('GET', path)).status).toBe(200);
    const readTime = async () => (await service.request('GET', path)).json.spec.renewTime as string;
    proxy.close();
    for (const socket of sockets) socket.destroy();
    const before = await readSettled(readTime);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect([agent.process.exitCode, await readTime()]).toEqual([null, before]);
    await listen(port);
    await expect.poll(readTime).not.toBe(before);
    expect(await agent.end()).toBe(0);
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
});

describeRuntime(
  'the status of a node',
  () => {
    let runtime: TestRuntime;
    let agent: AgentRun;
    beforeAll(async () => {
      runtime = await startRuntime();
      agent = await startAgentProgram({ flags: ['--container-runtime-endpoint', runtime.endpoint] });
    });
    afterAll(async () => {
      await agent?.end();
      await runtime?.stop();
    });

    it(`is served as it is measured, with a real runtime [${statusSpec}#1] [${statusSpec}#3] [${statusSpec}#6]`, async () => {
      const { status, json } = await agent.request('GET', '/status');
      expect([status, json.kind, json.metadata.name]).toEqual([200, 'Node', 'node-1']);
      const states = json.status.conditions.map((condition: Record<string, string>) => [
        condition['type'],
        condition['status'],
      ]);
      expect(states).toEqual([
        ['NetworkUnavailable', 'False'],
        ['MemoryPressure', 'False'],
        ['DiskPressure', expect.stringMatching(/^(True|False)$/)],
        ['PIDPressure', 'False'],
        ['Ready', 'True'],
      ]);
      expect(json.status.nodeInfo.containerRuntimeVersion).toMatch(/^containerd:\/\/2\.3\.7/);
      expect(json.status.images.length).toBeGreaterThan(0);
      expect(json.status.daemonEndpoints.kubeletEndpoint.Port).toBe(Number(new URL(agent.url).port));
    });

    it(`tells of too little memory, disk and processes [${statusSpec}#9] [${statusSpec}#10] [${statusSpec}#11]`, async () => {
      const thresholds = ['memory.available: 99.9%', 'nodefs.available: 99.9%', 'pid.available: 99.9%'];
      const config = await writeConfig('pressed.yaml', [`evictionHard: {${thresholds.join(', ')}}`]);
      const flags = ['--container-runtime-endpoint', runtime.endpoint, '--config', config];
      const pressed = await start({ flags });
      const { json } = await pressed.request('GET', '/status');
      const states = json.status.conditions.map(({ type, status }: NodeCondition) => [type, status]);
      expect(Object.fromEntries(states)).toEqual({
        ...{ MemoryPressure: 'True', DiskPressure: 'True', PIDPressure: 'True' },
        ...{ NetworkUnavailable: 'False', Ready: 'True' },
      });
      await pressed.end();
    });

    it('says so when the runtime is gone, and when it is back', async () => {
      const readVersion = async () =>
        (await agent.request('GET', '/status')).json.status.nodeInfo.containerRuntimeVersion;
      const readReady = async () => {
        const { json } = await agent.request('GET', '/status');
        return json.status.conditions.find((condition: { type: string }) => condition.type === 'Ready');
      };
      await runtime.killContainerd();
      await expect.poll(readVersion).toBe('containerd://Unknown');
      // A node stays ready for half a minute without its runtime.
      if (isSoak) {
        const lost = { status: 'False', reason: 'KubeletNotReady', message: 'container runtime is down' };
        await expect.poll(readReady, { interval: 1_000 }).toMatchObject(lost);
      }
      await runtime.startContainerd();
      await expect.poll(readVersion).toMatch(/^containerd:\/\/2/);
      await expect.poll(readReady).toMatchObject({ status: 'True' });
    });
  },
  { checkpoints: false },
);

describeNode('the status of a node with a kubelet', () => {
  const thresholds = { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '2%' };
  const kubeReserved = { cpu: '100m', memory: '256Mi', 'ephemeral-storage': '1Gi' };
  const systemReserved = { cpu: '50m', memory: '200M' };
  let cluster: NodeCluster;
  beforeAll(async () => {
    cluster = await startNodeCluster({ kubeletFields: { evictionHard: thresholds, kubeReserved, systemReserved } });
  });
  afterAll(() => cluster?.stop());

  async function measure(): Promise<{ theirs: Answer; ours: PrintedStatus }> {
    const { body: theirs } = await cluster.request('GET', `/api/v1/nodes/${cluster.nodeName}`);
    const request: PrintRequest = {
      nodeName: cluster.nodeName,
      nodeIp: theirs.status.addresses[0].address,
      rootDir: '/var/lib/kubelet',
      runtimeSocket: containerdSocket,
      configuration: {
        ...{ maxPods: 110, podsPerCore: 0, evictionHard: thresholds, kubeReserved, systemReserved },
        evictionPressureTransitionPeriodMillis: 300_000,
      },
    };
    const program = fileURLToPath(new URL('agent/print-node-status.ts', import.meta.url));
    const printed = await cluster.runOnNode(process.execPath, [program, JSON.stringify(request)]);
    return { theirs, ours: JSON.parse(printed) as PrintedStatus };
  }

  it(`is what the kubelet says of it [${statusSpec}#4] [${statusSpec}#5] [${statusSpec}#6]`, async () => {
    const { theirs, ours } = await measure();
    const { kubeletVersion: _, ...info } = theirs.status.nodeInfo;
    expect(ours.node.status.nodeInfo).toMatchObject(info);
    const fields = [
      ...(['capacity', 'allocatable', 'addresses', 'daemonEndpoints'] as const),
      ...(['images', 'runtimeHandlers', 'features'] as const),
    ];
    for (const field of fields) expect([field, ours.node.status[field]]).toEqual([field, theirs.status[field]]);
    const strip = ({ type, status, reason, message }: Partial<NodeCondition>) => ({ type, status, reason, message });
    expect(ours.node.status.conditions.slice(1).map(strip)).toEqual(theirs.status.conditions.map(strip));
    expect(theirs.metadata.labels).toMatchObject(ours.node.metadata.labels ?? {});
  });

  it(`is judged by what the kubelet measures too [${statusSpec}#9] [${statusSpec}#10] [${statusSpec}#11]`, async () => {
    const path = `/api/v1/nodes/${cluster.nodeName}/proxy/stats/summary`;
    await expect.poll(async () => (await cluster.request('GET', path)).status).toBe(200);
    const { theirs, ours } = await measure();
    const { node } = (await cluster.request('GET', path)).body;
    const { memory, nodeFs, imageFs, pids } = ours.usage;
    const capacity = memory?.capacity ?? 0;
    expect(`${capacity / 1024}Ki`).toBe(theirs.status.capacity.memory);
    // The machine goes on being used, and the kubelet looks every ten seconds.
    expect(Math.abs((memory?.available ?? 0) - node.memory.availableBytes)).toBeLessThan(0.1 * capacity);
    expect([nodeFs?.capacityBytes, nodeFs?.inodes]).toEqual([node.fs.capacityBytes, node.fs.inodes]);
    expect(Math.abs((nodeFs?.availableBytes ?? 0) - node.fs.availableBytes)).toBeLessThan(0.05 * node.fs.capacityBytes);
    const theirImages = node.runtime.imageFs;
    expect([imageFs?.capacityBytes, imageFs?.inodes]).toEqual([theirImages.capacityBytes, theirImages.inodes]);
    expect(pids?.capacity).toBe(node.rlimit.maxpid);
    expect(Math.abs((pids?.capacity ?? 0) - (pids?.available ?? 0) - node.rlimit.curproc)).toBeLessThan(2_000);
  });
});
