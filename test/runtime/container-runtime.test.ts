import { access, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { connectContainerRuntime } from '../../agent/cri/connect-container-runtime.ts';
import type { ContainerRuntime } from '../../agent/cri/container-runtime.ts';
import { RuntimeFailure } from '../../agent/cri/runtime-failure.ts';
import type { ContainerdVersion } from '../cluster/containerd-files.ts';
import { busyboxReference, workloadReference } from '../cluster/small-images.ts';
import { waitUntil } from '../cluster/wait-until.ts';
import { describeRuntime } from './describe-runtime.ts';
import { startRuntime } from './start-runtime.ts';
import type { TestPod, TestRuntime } from './test-runtime.ts';

async function catchFailure(call: Promise<unknown>): Promise<RuntimeFailure> {
  const error: unknown = await call.then(
    () => new Error('the call did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof RuntimeFailure) return error;
  throw error;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function idOf(pod: TestPod, container: string): string {
  return pod.containers.get(container) ?? '';
}

// What every runtime is asked and must answer the same.
describe.for(['2.3', '1.6'] as const satisfies readonly ContainerdVersion[])('containerd %s', (version) => {
  describeRuntime(
    'over the Container Runtime Interface',
    () => {
      let containerd: TestRuntime;
      let runtime: ContainerRuntime;
      let web: TestPod;
      let onNode: TestPod;

      beforeAll(async () => {
        containerd = await startRuntime({ containerd: version });
        runtime = await connectContainerRuntime({ runtimeSocket: containerd.socket, timeoutMillis: 30_000 });
        web = await containerd.runPod({
          namespace: 'shop',
          name: 'web',
          containers: [
            { name: 'a' },
            { name: 'b' },
            { name: 'done', image: busyboxReference, command: ['sh', '-c', 'exit 3'] },
          ],
        });
        onNode = await containerd.runPod({ name: 'proxy', hostNetwork: true, containers: [{ name: 'a' }] });
      });
      afterAll(async () => {
        runtime?.close();
        await containerd?.stop();
      });

      it('tells its name and versions', async () => {
        const { name, version: own, apiVersion } = await runtime.readVersion();
        expect([name, apiVersion]).toEqual(['containerd', 'v1']);
        expect(own).toContain(version);
      });

      it('tells that it is ready', async () => {
        const { conditions } = await runtime.readStatus();
        const ready = Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
        expect(ready).toMatchObject({ RuntimeReady: true, NetworkReady: true });
      });

      it('lists sandboxes, all or those that a filter chooses', async () => {
        const all = await runtime.listSandboxes();
        expect(all.map(({ id }) => id).toSorted()).toEqual([web.sandboxId, onNode.sandboxId].toSorted());
        const labels = { 'io.kubernetes.pod.namespace': 'shop', 'io.kubernetes.pod.name': 'web' };
        const [found, ...others] = await runtime.listSandboxes({ labels, state: 'Ready' });
        expect(others).toEqual([]);
        const { name, namespace, uid } = web;
        expect(found).toMatchObject({ id: web.sandboxId, name, namespace, uid, attempt: 0, state: 'Ready', labels });
        expect(Math.abs((found?.createdAtMillis ?? 0) - Date.now())).toBeLessThan(120_000);
        expect(await runtime.listSandboxes({ id: onNode.sandboxId })).toMatchObject([{ name: 'proxy' }]);
        expect(await runtime.listSandboxes({ state: 'NotReady' })).toEqual([]);
        expect(await runtime.listSandboxes({ labels: { 'io.kubernetes.pod.name': 'else' } })).toEqual([]);
      });

      it("tells a sandbox's addresses", async () => {
        expect(await runtime.readSandbox(web.sandboxId)).toMatchObject({
          addresses: [expect.stringMatching(/^198\.19\./)],
          usesNodeNetwork: false,
        });
        expect(await runtime.readSandbox(onNode.sandboxId)).toMatchObject({ addresses: [], usesNodeNetwork: true });
      });

      it('lists containers, all or those that a filter chooses', async () => {
        expect(await runtime.listContainers()).toHaveLength(4);
        const inWeb = await runtime.listContainers({ sandboxId: web.sandboxId });
        expect(inWeb.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'done']);
        const labels = { 'io.kubernetes.container.name': 'b' };
        expect(await runtime.listContainers({ labels })).toMatchObject([
          { id: idOf(web, 'b'), sandboxId: web.sandboxId, name: 'b', attempt: 0, state: 'Running', labels },
        ]);
        expect(await runtime.listContainers({ id: idOf(onNode, 'a') })).toMatchObject([
          { sandboxId: onNode.sandboxId },
        ]);
        await waitUntil(
          'a container to end',
          async () => (await runtime.listContainers({ state: 'Exited' })).length === 1,
        );
        expect(await runtime.listContainers({ state: 'Running' })).toHaveLength(3);
      });

      it('tells how a container is', async () => {
        const running = await runtime.readContainer(idOf(web, 'a'));
        expect(running).toMatchObject({ name: 'a', state: 'Running', exitCode: 0, finishedAtMillis: undefined });
        expect(running.startedAtMillis).toBeGreaterThanOrEqual(running.createdAtMillis);
        expect(running.image).toBe(workloadReference);
        expect(running.logPath).toContain(`shop_web_${web.uid}/a.log`);
        const ended = await runtime.readContainer(idOf(web, 'done'));
        expect(ended).toMatchObject({ state: 'Exited', exitCode: 3, reason: 'Error' });
        // The clocks of two processes: one sees the end before the other has written down the start.
        expect((ended.finishedAtMillis ?? 0) + 1000).toBeGreaterThan(ended.startedAtMillis ?? Infinity);
      });

      it('lists images and how much they take', async () => {
        const images = await runtime.listImages();
        const workload = images.find(({ tags }) => tags.includes(workloadReference));
        expect(workload?.sizeBytes).toBeGreaterThan(100_000);
        expect(workload?.id).toMatch(/^sha256:/);
        // It is measured now and then.
        await waitUntil('the images to be measured', async () => {
          const [filesystem] = (await runtime.readImageFilesystems()).images;
          expect(filesystem?.mountpoint).toMatch(/^\/var\/lib\/containerd\//);
          return (filesystem?.usedBytes ?? 0) > 100_000 && (filesystem?.inodesUsed ?? 0) > 10;
        });
      });

      it('knows no sandbox, container or task that is not there', async () => {
        expect(await catchFailure(runtime.readSandbox('nowhere'))).toMatchObject({ code: 'NotFound' });
        expect(await catchFailure(runtime.readContainer('nowhere'))).toMatchObject({ code: 'NotFound' });
        expect(await runtime.resumeContainer('nowhere')).toBe(false);
      });

      it('answers many calls at once', async () => {
        const calls = Array.from({ length: 200 }, () => runtime.listContainers());
        for (const containers of await Promise.all(calls)) expect(containers).toHaveLength(4);
      });

      it('leaves a running container alone that is to be resumed', async () => {
        expect(await runtime.resumeContainer(idOf(web, 'a'))).toBe(false);
        await containerd.waitUntilCountsOn(web, 'a');
      });

      it('is told when the caller has no more time, and when it gives up', async () => {
        const late = await catchFailure(runtime.readStatus({ timeoutMillis: 0 }));
        expect(late.message).toBe('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
        const given = await catchFailure(runtime.readStatus({ signal: AbortSignal.abort() }));
        expect(given.message).toBe('rpc error: code = Canceled desc = context canceled');
      });

      it('is found again after it was away, with its containers', async () => {
        await containerd.killContainerd();
        const began = performance.now();
        expect(await catchFailure(runtime.readVersion())).toMatchObject({ code: 'Unavailable' });
        expect(await catchFailure(runtime.readVersion())).toMatchObject({ code: 'Unavailable' });
        // Nobody waits for a runtime that is not there.
        expect(performance.now() - began).toBeLessThan(2000);
        await containerd.startContainerd();
        const answer = (): Promise<boolean> =>
          runtime.readVersion().then(
            () => true,
            () => false,
          );
        await waitUntil('containerd to be found', answer, 5000);
        expect(await runtime.listContainers({ state: 'Running' })).toHaveLength(3);
        await containerd.waitUntilCountsOn(web, 'a');
      });
    },
    { oldContainerd: version === '1.6', checkpoints: false },
  );
});

describeRuntime('containerd that knows checkpoints', () => {
  let containerd: TestRuntime;
  let runtime: ContainerRuntime;
  let pod: TestPod;
  const text = 'neddih ylhguoroht';
  const locate = (name: string): string => join(containerd.folder, name);
  const checkpoint = (container: string, name: string, options = {}): Promise<void> =>
    runtime.checkpointContainer(
      { containerId: idOf(pod, container), location: locate(name), timeoutSeconds: 0 },
      options,
    );

  beforeAll(async () => {
    containerd = await startRuntime();
    runtime = await connectContainerRuntime({ runtimeSocket: containerd.socket, timeoutMillis: 120_000 });
    pod = await containerd.runPod({
      name: 'p',
      containers: [
        { name: 'small', memoryMiB: 8, text },
        { name: 'large', memoryMiB: 256 },
        {
          name: 'script',
          image: busyboxReference,
          command: ['sh', '-c', 'i=0; while :; do i=$((i+1)); echo count $i; sleep 0.1; done'],
        },
      ],
    });
  });
  afterAll(async () => {
    runtime?.close();
    await containerd?.stop();
  });

  it('dumps a container, which goes on, and restores it with its state', async () => {
    const before = await containerd.waitUntilCountsOn(pod, 'small');
    const sum = await containerd.readSum(pod, 'small');
    await checkpoint('small', 'small.tar');
    await containerd.waitUntilCountsOn(pod, 'small');
    const restored = await containerd.runPod({
      name: 'restored',
      containers: [{ name: 'again', restoredFrom: locate('small.tar') }],
    });
    const after = await containerd.waitUntilCountsOn(restored, 'again');
    expect(after).toBeGreaterThan(before);
    expect(await containerd.readSum(restored, 'again')).toBe(sum);
    const lines = (await containerd.readLog(restored, 'again')).match(/^count \d+$/gm) ?? [];
    const [first = 0, ...others] = lines.map((line) => Number(line.split(' ')[1]));
    expect(first).toBeGreaterThanOrEqual(before);
    expect(others).toEqual(others.map((_, index) => first + 1 + index));
    expect(await runtime.readContainer(idOf(restored, 'again'))).toMatchObject({ state: 'Running' });
    await containerd.removePod(restored);
  });

  it('dumps a container of several processes', async () => {
    await checkpoint('script', 'script.tar');
    const before = await containerd.waitUntilCountsOn(pod, 'script');
    const restored = await containerd.runPod({
      name: 'restored',
      containers: [{ name: 'script', restoredFrom: locate('script.tar') }],
    });
    expect(await containerd.waitUntilCountsOn(restored, 'script')).toBeGreaterThanOrEqual(Math.min(before, 2));
    await containerd.removePod(restored);
  });

  it('dumps a container with an open connection', async () => {
    const server =
      'nc -l -p 7000 -e sh -c "while :; do echo tick; sleep 0.1; done" & sleep 0.3; exec nc 127.0.0.1 7000';
    const talker = await containerd.runPod({
      name: 'talker',
      containers: [{ name: 'c', image: busyboxReference, command: ['sh', '-c', server] }],
    });
    const countTicks = async (): Promise<number> => (await containerd.readLog(talker, 'c')).match(/tick/g)?.length ?? 0;
    await waitUntil('the connection', async () => (await countTicks()) > 0);
    const containerId = idOf(talker, 'c');
    await runtime.checkpointContainer({ containerId, location: locate('talker.tar'), timeoutSeconds: 0 });
    const before = await countTicks();
    await waitUntil('the connection to go on', async () => (await countTicks()) > before);
    await containerd.removePod(talker);
  });

  it('says which container it does not have, and that only a running one can be dumped', async () => {
    const request = { location: locate('none.tar'), timeoutSeconds: 0 };
    const unknown = await catchFailure(runtime.checkpointContainer({ ...request, containerId: 'nowhere' }));
    expect(unknown.reason).toContain('nowhere');
    const ended = await containerd.runPod({
      name: 'ended',
      containers: [{ name: 'c', image: busyboxReference, command: ['true'] }],
    });
    const containerId = idOf(ended, 'c');
    await waitUntil('a container to end', async () => (await runtime.readContainer(containerId)).state === 'Exited');
    const refusal = await catchFailure(runtime.checkpointContainer({ ...request, containerId }));
    expect(refusal.message).toBe(
      `rpc error: code = Unknown desc = container "${containerId}" is in CONTAINER_EXITED state. only CONTAINER_RUNNING containers can be checkpointed`,
    );
    expect(await exists(locate('none.tar'))).toBe(false);
    await containerd.removePod(ended);
  });

  it('says why an archive cannot be written', async () => {
    const failure = await catchFailure(checkpoint('small', 'no/such/folder.tar'));
    expect(failure.message).toBe(
      `rpc error: code = Unknown desc = open ${locate('no/such/folder.tar')}: no such file or directory`,
    );
    await containerd.waitUntilCountsOn(pod, 'small');
  });

  it.for([50, 300, 800])('gives up a dump after %i ms, and the container goes on', async (timeoutMillis) => {
    const began = performance.now();
    const failure = await catchFailure(checkpoint('large', 'cut.tar', { timeoutMillis }));
    expect(failure.message).toBe('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
    expect(performance.now() - began).toBeLessThan(timeoutMillis + 2000);
    await containerd.waitUntilCountsOn(pod, 'large');
    expect(await runtime.resumeContainer(idOf(pod, 'large'))).toBe(false);
  });

  it('gives up a dump when it is told to, and the container goes on', async () => {
    const abort = new AbortController();
    const dump = catchFailure(checkpoint('large', 'cut.tar', { signal: abort.signal }));
    await wait(300);
    abort.abort();
    expect((await dump).message).toBe('rpc error: code = Canceled desc = context canceled');
    await containerd.waitUntilCountsOn(pod, 'large');
  });

  it('can dump a container again whose dump was given up', async () => {
    await checkpoint('large', 'large.tar');
    const archive = await open(locate('large.tar'));
    expect((await archive.stat()).size).toBeGreaterThan(256 * 1024 * 1024);
    await archive.close();
  });

  it('ends calls under way when its connection is closed', async () => {
    const other = await connectContainerRuntime({ runtimeSocket: containerd.socket, timeoutMillis: 30_000 });
    const request = { containerId: idOf(pod, 'large'), location: locate('cut.tar'), timeoutSeconds: 0 };
    const dump = catchFailure(other.checkpointContainer(request));
    await wait(200);
    other.close();
    other.close();
    const closed = 'rpc error: code = Canceled desc = grpc: the client connection is closing';
    expect((await dump).message).toBe(closed);
    expect((await catchFailure(other.readVersion())).message).toBe(closed);
    await containerd.waitUntilCountsOn(pod, 'large');
  });

  it('lets a container go on by order that its own sudden end has left paused', async () => {
    const dump = catchFailure(checkpoint('large', 'cut.tar'));
    await waitUntil('the container to be paused', async () =>
      (await containerd.crictl(['inspect', idOf(pod, 'large')])).includes('CONTAINER_RUNNING'),
    );
    await wait(300);
    await containerd.killContainerd();
    expect((await dump).code).toMatch(/^(Unavailable|Internal|Canceled)$/);
    await containerd.startContainerd();
    const stood = await containerd.readCount(pod, 'large');
    await wait(1000);
    expect(await containerd.readCount(pod, 'large')).toBe(stood);
    await waitUntil('the order to be taken', () =>
      runtime.resumeContainer(idOf(pod, 'large')).then(
        () => true,
        () => false,
      ),
    );
    await containerd.waitUntilCountsOn(pod, 'large');
    expect(await runtime.resumeContainer(idOf(pod, 'large'))).toBe(false);
  });
});

describeRuntime(
  'a runtime without checkpoints',
  () => {
    it.for([
      [
        'of old',
        { containerd: '1.6' },
        /^rpc error: code = Unimplemented desc = method CheckpointContainer not implemented$/,
      ],
      [
        'without CRIU',
        { criu: 'missing' },
        /^rpc error: code = Unknown desc = failed to checkpoint container "\w+": criu binary not found/,
      ],
      [
        'whose CRIU cannot dump',
        { criu: 'broken' },
        /^rpc error: code = Unknown desc = checkpointing container "\w+" failed: .*criu failed: type DUMP/,
      ],
    ] as const)('%s says so, and the container goes on', async ([, options, message]) => {
      const containerd = await startRuntime(options);
      const runtime = await connectContainerRuntime({ runtimeSocket: containerd.socket, timeoutMillis: 30_000 });
      try {
        const pod = await containerd.runPod({ name: 'p', containers: [{ name: 'c' }] });
        const location = join(containerd.folder, 'c.tar');
        const request = { containerId: idOf(pod, 'c'), location, timeoutSeconds: 0 };
        expect((await catchFailure(runtime.checkpointContainer(request))).message).toMatch(message);
        expect(await exists(location)).toBe(false);
        await containerd.waitUntilCountsOn(pod, 'c');
      } finally {
        runtime.close();
        await containerd.stop();
      }
    });
  },
  { oldContainerd: true },
);
