import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { RuntimeFailure } from '../../agent/cri/runtime-failure.ts';
import { connectContainerRuntime } from '../../agent/cri/connect-container-runtime.ts';
import type { ContainerRuntime } from '../../agent/cri/container-runtime.ts';
import type { ContainerdVersion } from '../cluster/containerd-files.ts';
import { busyboxReference, workloadReference } from '../cluster/small-images.ts';
import { waitUntil } from '../cluster/wait-until.ts';
import { catchFailure } from './catch-failure.ts';
import { describeRuntime } from './describe-runtime.ts';
import { startRuntime } from './start-runtime.ts';
import type { TestPod, TestRuntime } from './test-runtime.ts';

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

      it('tells what a container has in memory, and nothing of one that is not there', async () => {
        await waitUntil(
          'the memory to be measured',
          async () => ((await runtime.readMemoryBytes(idOf(web, 'a'))) ?? 0) > 50_000,
        );
        expect(await runtime.readMemoryBytes(idOf(web, 'a'))).toBeLessThan(256 * 2 ** 20);
        expect(await catchFailure(runtime.readMemoryBytes('nowhere'))).toBeInstanceOf(RuntimeFailure);
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
        expect(performance.now() - began).toBeLessThan(10_000);
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
