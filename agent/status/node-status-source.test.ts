import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import { openHostFiles, type HostFiles } from './host-files.ts';
import { NodeStatusSource, type NodeStatusOptions } from './node-status-source.ts';
import { parseMeminfo } from './parse-proc.ts';
import { readUsage } from './read-usage.ts';
import { openRecordedFiles } from './testdata/recorded-files.ts';

const spec = 'Resources and their fields/Node status reported by the node agent';

/** A runtime as one of containerd answers. */
function makeRuntime(imageFs: string): NodeStatusOptions['runtime'] {
  const filesystem = { mountpoint: imageFs, usedBytes: 1, inodesUsed: 1 };
  return {
    readVersion: async () => ({ name: 'containerd', version: 'v2.3.7', apiVersion: 'v1' }),
    readStatus: async () => ({
      conditions: ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true, reason: '', message: '' })),
      handlers: [{ name: '', recursiveReadOnlyMounts: true, userNamespaces: false }],
      supplementalGroupsPolicy: true,
    }),
    listImages: async () => [
      { id: 'a', tags: ['small:1'], digests: [], sizeBytes: 1, pinned: false },
      { id: 'b', tags: ['t1', 't2', 't3', 't4', 't5'], digests: ['big@sha256:1'], sizeBytes: 2, pinned: false },
    ],
    readImageFilesystems: async () => ({ images: [filesystem], containers: [filesystem] }),
  };
}

function makeSource(files: HostFiles, given: Partial<NodeStatusOptions> = {}): NodeStatusSource {
  return new NodeStatusSource({
    files,
    runtime: makeRuntime('/var/lib/containerd/images'),
    nodeName: 'node-1',
    nodeIps: ['192.0.2.7'],
    checkNodeIps: false,
    rootDir: '/var/lib/bailiwick-agent',
    port: 10350,
    configuration: {
      maxPods: 110,
      podsPerCore: 0,
      evictionHard: {
        'memory.available': '100Mi',
        'nodefs.available': '10%',
        'nodefs.inodesFree': '5%',
        'imagefs.available': '15%',
        'imagefs.inodesFree': '5%',
      },
      evictionPressureTransitionPeriodMillis: 300_000,
      kubeReserved: {},
      systemReserved: {},
    },
    clock: new ManualClock(),
    logger: createSilentLogger(),
    ...given,
  });
}

describe('a node as it is measured', () => {
  it(`on cgroup v2 is whole [${spec}#1] [${spec}#6]`, async () => {
    expect(await makeSource(openRecordedFiles('cgroup-v2')).readNode()).toMatchObject({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-1', labels: { 'kubernetes.io/hostname': 'node-1', 'kubernetes.io/os': 'linux' } },
      status: {
        addresses: [
          { type: 'InternalIP', address: '192.0.2.7' },
          { type: 'Hostname', address: 'node-1' },
        ],
        capacity: {
          cpu: '4',
          'ephemeral-storage': '102625208Ki',
          'hugepages-1Gi': '0',
          'hugepages-2Mi': '256Mi',
          memory: '16374292Ki',
          pods: '110',
        },
        allocatable: { cpu: '4', 'ephemeral-storage': '94579391537', memory: '16009748Ki', pods: '110' },
        daemonEndpoints: { kubeletEndpoint: { Port: 10350 } },
        nodeInfo: {
          machineID: '5f0e1d2c3b4a59687f6e5d4c3b2a1908',
          systemUUID: '4C4C4544-0042-3510-8051-B3C04F4A3533',
          bootID: 'b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e',
          kernelVersion: '6.1.0-18-amd64',
          osImage: 'Debian GNU/Linux 12 (bookworm)',
          containerRuntimeVersion: 'containerd://2.3.7',
          kubeletVersion: 'v1.34.4+bailiwick',
          kubeProxyVersion: '',
          operatingSystem: 'linux',
          swap: { capacity: 2097148 * 1024 },
        },
        images: [
          { names: ['big@sha256:1', 't1', 't2', 't3', 't4'], sizeBytes: 2 },
          { names: ['small:1'], sizeBytes: 1 },
        ],
        runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: false } }],
        features: { supplementalGroupsPolicy: true },
      },
    });
  });

  it('on cgroup v1 is whole', async () => {
    const { status } = await makeSource(openRecordedFiles('cgroup-v1')).readNode();
    expect(status).toMatchObject({
      capacity: { cpu: '2', memory: '24684084Ki', 'ephemeral-storage': '264212084Ki', 'hugepages-2Mi': '0' },
      nodeInfo: { machineID: '4a1f2c0d9e8b47c6a5d3e2f1b0c9d8e7', systemUUID: '4a1f2c0d9e8b47c6a5d3e2f1b0c9d8e7' },
    });
    expect(status.nodeInfo).not.toHaveProperty('swap');
    expect(status.conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });

  it.for([
    // What is in use, without cached files that nobody has asked for lately.
    ['cgroup-v1', 24684084 * 1024 - (6273675264 - 961294336), { capacity: 32768, available: 32768 - 292 }],
    ['cgroup-v2', 16374292 * 1024 - (790425600 + 6502666240 - 5307346944), { capacity: 127403, available: 123885 }],
    // A container sees its own control group, and the memory of the whole node only in the kernel's count.
    [
      'container',
      (16374292 - (771900 + 6039735 + 310524) + 5182956) * 1024,
      { capacity: 127403, available: 127403 - 3518 },
    ],
  ] as const)('has, on %s, %s bytes of memory left', async ([name, available, pids]) => {
    const usage = await readUsage(openRecordedFiles(name), {
      rootDir: '/',
      imageFs: undefined,
      containerFs: undefined,
    });
    expect(usage).toMatchObject({ memory: { available }, pids });
  });

  it('goes on being told of while its runtime is gone, and says so', async () => {
    const runtime = makeRuntime('/var/lib/containerd/images');
    const clock = new ManualClock();
    let isGone = false;
    const answer =
      <T>(give: () => Promise<T>) =>
      async () => {
        if (isGone) throw new RuntimeFailure('Unavailable', 'connection refused');
        return give();
      };
    const source = makeSource(openRecordedFiles('cgroup-v2'), {
      clock,
      runtime: {
        readVersion: answer(runtime.readVersion),
        readStatus: answer(runtime.readStatus),
        listImages: answer(runtime.listImages),
        readImageFilesystems: answer(runtime.readImageFilesystems),
      },
    });
    const readReady = async () => {
      const { status } = await source.readNode();
      return status.conditions.find(({ type }) => type === 'Ready');
    };
    expect(await readReady()).toMatchObject({ status: 'True' });
    isGone = true;
    clock.advance(29_000);
    expect(await readReady()).toMatchObject({ status: 'True' });
    clock.advance(1_000);
    expect(await readReady()).toMatchObject({ status: 'False', message: 'container runtime is down' });
    const { status } = await source.readNode();
    expect(status.nodeInfo.containerRuntimeVersion).toBe('containerd://Unknown');
    isGone = false;
    clock.advance(1_000);
    expect(await readReady()).toMatchObject({ status: 'True', lastTransitionTime: '2026-01-01T00:00:31Z' });
  });

  it('tells of a restart of the machine, once it was written otherwise', async () => {
    const source = makeSource(openRecordedFiles('cgroup-v2'));
    const { node } = await source.read(undefined);
    const old = { ...node, status: { ...node.status, nodeInfo: { ...node.status.nodeInfo, bootID: 'old' } } };
    const { changes } = await source.read(old);
    const message = `Node node-1 has been rebooted, boot id: ${node.status.nodeInfo.bootID}`;
    expect(changes).toEqual([{ type: 'Warning', reason: 'Rebooted', message }]);
    expect((await source.read(node)).changes).toEqual([]);
  });

  it('is this machine', async () => {
    const source = makeSource(openHostFiles(), { nodeName: hostname(), nodeIps: [], checkNodeIps: true, rootDir: '/' });
    const { status } = await source.readNode();
    expect(status.capacity).toMatchObject({ cpu: String(availableParallelism()), memory: `${totalmem() / 1024}Ki` });
    expect(status.nodeInfo.kernelVersion).toBe(execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim());
    expect(status.nodeInfo.bootID).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    const [, size] = execFileSync('df', ['--block-size=1024', '--output=size', '/'], { encoding: 'utf8' }).split('\n');
    expect(status.capacity['ephemeral-storage']).toBe(`${size?.trim()}Ki`);
  });

  it('has the same memory left by its control groups and by the count of its kernel', async () => {
    const files = openHostFiles();
    const paths = { rootDir: '/', imageFs: undefined, containerFs: undefined };
    const withoutGroups = { ...bind(files), isThere: async () => false, readText: hideGroups(files) };
    const [byGroups, byKernel] = await Promise.all([readUsage(files, paths), readUsage(withoutGroups, paths)]);
    const memory = parseMeminfo(readFileSync('/proc/meminfo', 'utf8'));
    const difference = Math.abs((byGroups.memory?.available ?? 0) - (byKernel.memory?.available ?? Infinity));
    expect(difference).toBeLessThan(0.03 * (memory.get('MemTotal') ?? 0));
  });
});

function bind(files: HostFiles): HostFiles {
  return {
    readText: (path) => files.readText(path),
    readBytes: (path) => files.readBytes(path),
    listNames: (path) => files.listNames(path),
    isThere: (path) => files.isThere(path),
    readSpace: (path) => files.readSpace(path),
  };
}

function hideGroups(files: HostFiles): HostFiles['readText'] {
  return async (path) => (path.startsWith('/sys/fs/cgroup/') ? undefined : files.readText(path));
}
