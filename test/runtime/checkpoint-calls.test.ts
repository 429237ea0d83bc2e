import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { connectContainerRuntime } from '../../agent/cri/connect-container-runtime.ts';
import type { ContainerRuntime } from '../../agent/cri/container-runtime.ts';
import { RuntimeFailure } from '../../agent/cri/runtime-failure.ts';
import { busyboxReference } from '../cluster/small-images.ts';
import { waitUntil } from '../cluster/wait-until.ts';
import { catchFailure } from './catch-failure.ts';
import { describeRuntime } from './describe-runtime.ts';
import { startRuntime } from './start-runtime.ts';
import type { TestPod, TestRuntime } from './test-runtime.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';

function idOf(pod: TestPod, container: string): string {
  return pod.containers.get(container) ?? '';
}

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

  /**
   * Resolves when the runtime has ended what it did for a dump that was given up. It may be at it long after it was told, and removes a folder
   * in the end that the next dump of the container needs.
   */
  async function awaitCleanup(container: string): Promise<void> {
    const containers = join(containerd.folder, 'disk/lib/containerd/io.containerd.grpc.v1.cri/containers');
    let looks = 0;
    await waitUntil('the runtime to have cleaned up', async () => {
      looks = existsSync(join(containers, idOf(pod, container), 'ctrd-checkpoint')) ? 0 : looks + 1;
      // It may not have begun yet.
      return looks === 5;
    });
  }

  beforeAll(async () => {
    containerd = await startRuntime();
    runtime = await connectContainerRuntime({ runtimeSocket: containerd.socket, timeoutMillis: 120_000 });
    pod = await containerd.runPod({
      name: 'p',
      containers: [
        { name: 'small', memoryMiB: 8, text },
        { name: 'middling', memoryMiB: 48 },
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
    expect(existsSync(locate('none.tar'))).toBe(false);
    await containerd.removePod(ended);
  });

  it('says why an archive cannot be written', async () => {
    const failure = await catchFailure(checkpoint('small', 'no/such/folder.tar'));
    expect(failure.message).toBe(
      `rpc error: code = Unknown desc = open ${locate('no/such/folder.tar')}: no such file or directory`,
    );
    await containerd.waitUntilCountsOn(pod, 'small');
  });

  const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Date.now() % 2 ** 31 : 20261122));
  const moments = fc.sample(fc.integer({ min: 0, max: 700 }), { seed, numRuns: isSoak ? 100 : 8 });

  it.for(moments)(`gives up a dump after %i ms, and the container goes on (seed ${seed})`, async (timeoutMillis) => {
    const began = performance.now();
    const failure = await checkpoint('middling', 'cut.tar', { timeoutMillis }).catch((error: unknown) => error);
    // It may have been done by then.
    if (failure instanceof RuntimeFailure) {
      expect(failure.message).toBe('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
    } else if (failure !== undefined) throw failure;
    expect(performance.now() - began).toBeLessThan(timeoutMillis + 2000);
    await runtime.resumeContainer(idOf(pod, 'middling'));
    await containerd.waitUntilCountsOn(pod, 'middling');
    expect(await runtime.resumeContainer(idOf(pod, 'middling'))).toBe(false);
    await awaitCleanup('middling');
  });

  it('gives up a dump when it is told to, and the container goes on', async () => {
    const abort = new AbortController();
    const dump = catchFailure(checkpoint('large', 'cut.tar', { signal: abort.signal }));
    await wait(300);
    abort.abort();
    expect((await dump).message).toBe('rpc error: code = Canceled desc = context canceled');
    await runtime.resumeContainer(idOf(pod, 'large'));
    await containerd.waitUntilCountsOn(pod, 'large');
  });

  it('can dump a container again whose dump was given up', async () => {
    await awaitCleanup('large');
    await checkpoint('large', 'large.tar');
    expect((await stat(locate('large.tar'))).size).toBeGreaterThan(256 * 1024 * 1024);
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
    await runtime.resumeContainer(idOf(pod, 'large'));
    await containerd.waitUntilCountsOn(pod, 'large');
    await awaitCleanup('large');
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
        expect(existsSync(location)).toBe(false);
        await containerd.waitUntilCountsOn(pod, 'c');
      } finally {
        runtime.close();
        await containerd.stop();
      }
    });
  },
  { oldContainerd: true },
);
