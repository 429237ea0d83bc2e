import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { CriConnection } from '../../agent/cri/cri-connection.ts';
import type { Machine } from '../cluster/machine.ts';
import type { ProcessGroup } from '../cluster/process-group.ts';
import { runProgram } from '../cluster/run-program.ts';
import { waitUntil } from '../cluster/wait-until.ts';
import { describeContainer, describeSandbox, type PodPlan, type PodRequest } from './pod-requests.ts';

/** A pod that runs. */
export interface TestPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly sandboxId: string;
  /** Ids of its containers by their names. */
  readonly containers: ReadonlyMap<string, string>;
}

/** What a runtime of the rig is made of. */
export interface TestRuntimeParts {
  readonly folder: string;
  readonly socket: string;
  readonly group: ProcessGroup;
  readonly machine: Machine;
  readonly connection: CriConnection;
  readonly containerdWords: readonly string[];
  readonly ctr: string;
  readonly crictl: string;
}

/** A running containerd without a cluster, on a machine of its own. Its socket and its folder are reached from this process too. */
export class TestRuntime {
  readonly #parts: TestRuntimeParts;
  /** Where it listens: `unix:///…`. */
  readonly endpoint: string;
  /** The path of `endpoint`. */
  readonly socket: string;
  /** Of the runtime's own; containerd sees it, and all else that is not below `/etc`, `/run`, `/var/lib` and `/var/log`, as others do. */
  readonly folder: string;

  constructor(parts: TestRuntimeParts) {
    this.#parts = parts;
    this.endpoint = `unix://${parts.socket}`;
    this.socket = parts.socket;
    this.folder = parts.folder;
  }

  /** Process ids of `containerd`, of the machine's first process, `machine`, and of `supervisor`. */
  get pids(): ReadonlyMap<string, number> {
    return this.#parts.machine.pids;
  }

  /** Calls a method of the runtime itself; see `CriConnection.call`. */
  async call<Answer = object>(method: string, request: object): Promise<Answer> {
    return (await this.#parts.connection.call('RuntimeService', method, request)) as Answer;
  }

  #plan(request: PodRequest): PodPlan {
    const { namespace = 'default', name } = request;
    const uid = randomUUID();
    const logFolder = this.#logFolder({ namespace, name, uid });
    return { ...request, namespace, uid, logFolder, controlGroup: this.#parts.machine.controlGroup };
  }

  #logFolder(pod: Pick<TestPod, 'namespace' | 'name' | 'uid'>): string {
    return join(this.folder, 'logs', `${pod.namespace}_${pod.name}_${pod.uid}`);
  }

  /** Runs a pod. Resolves when its containers have started; those of the workload image: when they are ready. */
  async runPod(request: PodRequest): Promise<TestPod> {
    const plan = this.#plan(request);
    const sandbox = describeSandbox(plan);
    const { podSandboxId } = await this.call<{ podSandboxId: string }>('RunPodSandbox', { config: sandbox });
    const containers = new Map<string, string>();
    for (const container of plan.containers) {
      const config = describeContainer(plan, container);
      const created = { podSandboxId, config, sandboxConfig: sandbox };
      const { containerId } = await this.call<{ containerId: string }>('CreateContainer', created);
      await this.call('StartContainer', { containerId });
      containers.set(container.name, containerId);
    }
    const { namespace, name, uid } = plan;
    const pod = { namespace, name, uid, sandboxId: podSandboxId, containers };
    for (const { name: container, image, restoredFrom } of plan.containers) {
      if (image !== undefined || restoredFrom !== undefined) continue;
      await waitUntil(`${name}/${container} to be ready`, async () =>
        /^ready$/m.test(await this.readLog(pod, container)),
      );
    }
    return pod;
  }

  /** Ends a pod and removes it. */
  async removePod(pod: TestPod): Promise<void> {
    const request = { podSandboxId: pod.sandboxId };
    await this.call('StopPodSandbox', request);
    await this.call('RemovePodSandbox', request);
  }

  #idOf(pod: TestPod, container: string): string {
    const id = pod.containers.get(container);
    if (id === undefined) throw new Error(`the pod ${pod.name} has no container ${container}`);
    return id;
  }

  /** What a container has written so far. One that was restored begins with what it had written until then. */
  async readLog(pod: TestPod, container: string): Promise<string> {
    const text = await readFile(join(this.#logFolder(pod), `${container}.log`), 'utf8').catch(() => '');
    // A line is: time, stream, whether it is whole, and what was written.
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => `${line.split(' ').slice(3).join(' ')}\n`).join('');
  }

  /** The number that a container of the workload image has counted to; 0 before it begins. */
  async readCount(pod: TestPod, container: string): Promise<number> {
    return Number(/.*^count (\d+)$/ms.exec(await this.readLog(pod, container))?.[1] ?? 0);
  }

  /** Resolves when a container of the workload image counts on: to the number it has reached after the one it has now. */
  async waitUntilCountsOn(pod: TestPod, container: string): Promise<number> {
    const before = await this.readCount(pod, container);
    let now = before;
    await waitUntil(`${pod.name}/${container} to count on from ${before}`, async () => {
      now = await this.readCount(pod, container);
      return now > before;
    });
    return now;
  }

  /** The sum over the memory of a container of the workload image, which asks it for a new one. */
  async readSum(pod: TestPod, container: string): Promise<string> {
    const find = async (): Promise<string[]> => (await this.readLog(pod, container)).match(/^sum .*$/gm) ?? [];
    const before = await find();
    await this.exec(pod, container, ['kill', '-USR1', '1']);
    let now = before;
    await waitUntil(`${pod.name}/${container} to sum`, async () => {
      now = await find();
      return now.length > before.length;
    });
    return now.at(-1) ?? '';
  }

  /** Runs a program in a container to its end and resolves to its standard output; throws when it fails. */
  async exec(pod: TestPod, container: string, words: readonly string[]): Promise<string> {
    type Answer = { readonly stdout: Buffer; readonly stderr: Buffer; readonly exitCode: number };
    const request = { containerId: this.#idOf(pod, container), cmd: words, timeout: 60 };
    const { stdout, stderr, exitCode } = await this.call<Answer>('ExecSync', request);
    if (exitCode !== 0) throw new Error(`${words[0] ?? ''} ended with ${exitCode}: ${stderr.toString()}`);
    return stdout.toString();
  }

  /** Runs `crictl` against the runtime; see `runProgram`. */
  crictl(words: readonly string[]): Promise<string> {
    const endpoints = ['--runtime-endpoint', this.endpoint, '--image-endpoint', this.endpoint, '--timeout', '600s'];
    return runProgram(this.#parts.crictl, ['--config', '/dev/null', ...endpoints, ...words]);
  }

  /** Runs a program on its machine, in its namespaces; see `runProgram`. */
  runOnMachine(command: string, words: readonly string[]): Promise<string> {
    return this.#parts.machine.run(command, words);
  }

  /** Makes the images of an archive usable by pods, under the names that the archive gives them. */
  async loadImage(tarFile: string): Promise<void> {
    const words = ['--address', this.socket, '--namespace', 'k8s.io', 'images', 'import'];
    await this.#parts.machine.run(this.#parts.ctr, [...words, tarFile]);
  }

  /** Starts containerd; resolves when it answers. */
  async startContainerd(): Promise<void> {
    const [command = '', ...words] = this.#parts.containerdWords;
    await this.#parts.machine.start('containerd', command, words);
    await waitUntil('containerd to answer', async () => {
      await this.#parts.group.checkAlive();
      return this.call('Version', {}).then(
        () => true,
        () => false,
      );
    });
  }

  /** Kills containerd, which containers outlive; it stays away until `startContainerd`. */
  killContainerd(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.#parts.machine.kill('containerd', signal);
  }

  /** Ends everything and removes all traces; may be called again. */
  async stop(): Promise<void> {
    this.#parts.connection.close();
    await this.#parts.group.stop();
  }

  /** What there still is of it on this machine, besides its folder; empty after `stop`. */
  traces(): Promise<string[]> {
    return this.#parts.machine.listTraces();
  }
}
