import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { buildImage, type BuildImageOptions } from './build-image.ts';
import type { ClusterAnswer, ClusterRequestOptions } from './cluster-request.ts';
import { containerdSocket } from './containerd-files.ts';
import { issueClientCertificate } from './issue-certificates.ts';
import type { Machine } from './machine.ts';
import type { ProcessGroup } from './process-group.ts';
import type { MachineNetwork } from './reserve-network.ts';
import { runProgram } from './run-program.ts';
import type { Cluster } from './start-cluster.ts';
import { waitUntil } from './wait-until.ts';

/** Programs of a cluster with a node, in the order in which they start. */
export type ClusterProgram =
  'etcd' | 'containerd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubelet' | 'kube-proxy';

/** What a cluster with a node is made of; the first word of a command is its executable. */
export interface NodeClusterParts extends Omit<Cluster, 'pids' | 'issueClientCertificate' | 'stop'> {
  readonly pki: string;
  readonly nodeName: string;
  readonly network: MachineNetwork;
  readonly machine: Machine;
  readonly group: ProcessGroup;
  readonly tools: { readonly ctr: string; readonly kubectl: string; readonly helm: string };
  readonly commands: Readonly<Record<ClusterProgram, readonly string[]>>;
}

/** A running cluster with one real node. */
export class NodeCluster implements Cluster {
  readonly #parts: NodeClusterParts;
  /** `https://ADDRESS:6443`, which this process reaches. */
  readonly url: string;
  readonly kubeconfig: string;
  readonly token: string;
  readonly ca: string;
  readonly folder: string;
  readonly nodeName: string;
  readonly network: MachineNetwork;

  constructor(parts: NodeClusterParts) {
    this.#parts = parts;
    this.url = parts.url;
    this.kubeconfig = parts.kubeconfig;
    this.token = parts.token;
    this.ca = parts.ca;
    this.folder = parts.folder;
    this.nodeName = parts.nodeName;
    this.network = parts.network;
  }

  /** Process ids of the programs that run, of the machine's first process, `machine`, and of `supervisor`. */
  get pids(): ReadonlyMap<string, number> {
    return this.#parts.machine.pids;
  }

  /** As `Cluster` says. */
  request(method: string, path: string, options?: ClusterRequestOptions): Promise<ClusterAnswer> {
    return this.#parts.request(method, path, options);
  }

  /** As `Cluster` says. */
  issueClientCertificate(username: string, groups: readonly string[]): Promise<{ certificate: string; key: string }> {
    return issueClientCertificate(this.#parts.pki, username, groups);
  }

  async #ctr(words: readonly string[]): Promise<string> {
    const { machine, tools } = this.#parts;
    return machine.run(tools.ctr, ['--address', containerdSocket, '--namespace', 'k8s.io', ...words]);
  }

  /** Makes the images of an archive usable by pods, under the names that the archive gives them. */
  async loadImage(tarFile: string): Promise<void> {
    await this.#ctr(['images', 'import', '--local', tarFile]);
  }

  /** Builds an image from a Dockerfile, as `buildImage` says, and makes it usable by pods under `options.reference`. */
  async buildImage(options: BuildImageOptions): Promise<void> {
    const tarFile = join(this.folder, `image-${randomUUID()}.tar`);
    await buildImage(options, tarFile);
    await this.loadImage(tarFile);
    await rm(tarFile);
  }

  /** Runs `kubectl` as the administrator; see `runProgram`. */
  kubectl(words: readonly string[], input?: string): Promise<string> {
    return this.#runTool(this.#parts.tools.kubectl, words, input);
  }

  /** Runs `helm` as the administrator; see `runProgram`. */
  helm(words: readonly string[], input?: string): Promise<string> {
    return this.#runTool(this.#parts.tools.helm, words, input);
  }

  #runTool(tool: string, words: readonly string[], input?: string): Promise<string> {
    const { folder, kubeconfig } = this;
    // Caches and settings of the person at this machine stay out of it.
    const env = { KUBECONFIG: kubeconfig, HOME: folder, XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '', XDG_DATA_HOME: '' };
    return runProgram(tool, words, input === undefined ? { env } : { env, input });
  }

  /** What a pod's only or named container has written so far; throws where there is no such pod or it has not started. */
  podLogs(namespace: string, pod: string, container?: string): Promise<string> {
    return this.kubectl(['logs', '--namespace', namespace, pod, ...(container ? ['--container', container] : [])]);
  }

  /** Runs a program on the node, in its namespaces; see `runProgram`. */
  runOnNode(command: string, words: readonly string[], input?: string): Promise<string> {
    return this.#parts.machine.run(command, words, input);
  }

  /** Starts a program that was killed. */
  async startProgram(name: ClusterProgram): Promise<void> {
    const [command = '', ...words] = this.#parts.commands[name];
    await this.#parts.machine.start(name, command, words);
  }

  /** Kills one program; it stays away until `startProgram`. */
  killProgram(name: ClusterProgram, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.#parts.machine.kill(name, signal);
  }

  /** Resolves when the API server says that it is ready; throws when a program has ended by itself. */
  async waitUntilServing(): Promise<void> {
    await waitUntil('the API server to become ready', async () => {
      await this.#parts.group.checkAlive();
      return (await this.request('GET', '/readyz').catch(() => undefined))?.status === 200;
    });
  }

  async #waitUntilNodeReady(sinceMillis: number): Promise<void> {
    await waitUntil('the node to become ready', async () => {
      await this.#parts.group.checkAlive();
      const node = await this.request('GET', `/api/v1/nodes/${this.nodeName}`).catch(() => undefined);
      if (node?.status !== 200) return false;
      const conditions = node.body.status.conditions as { type: string; status: string; lastHeartbeatTime: string }[];
      const ready = conditions?.find((condition) => condition.type === 'Ready');
      const taints = (node.body.spec.taints ?? []) as { key: string }[];
      if (ready?.status !== 'True' || taints.some(({ key }) => key === 'node.kubernetes.io/not-ready')) return false;
      // Before the kubelet reports, there is what it said before the power went.
      return Date.parse(ready.lastHeartbeatTime) + 1000 > sinceMillis;
    });
  }

  /** Kills everything at once, containers too, as a machine that loses its power; what was written to disk stays. */
  powerOff(): Promise<void> {
    return this.#parts.machine.powerOff();
  }

  /** Starts everything again over what is on disk. Resolves when the node is ready for pods. `images` are loaded on the way. */
  async powerOn(images: readonly string[] = []): Promise<void> {
    const sinceMillis = Date.now();
    await this.#parts.machine.powerOn();
    for (const name of ['etcd', 'containerd', 'kube-apiserver'] as const) await this.startProgram(name);
    await waitUntil('containerd to answer', () =>
      this.#ctr(['version']).then(
        () => true,
        () => false,
      ),
    );
    for (const image of images) await this.loadImage(image);
    await this.waitUntilServing();
    for (const name of ['kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'] as const) {
      await this.startProgram(name);
    }
    await this.#waitUntilNodeReady(sinceMillis);
  }

  /** Ends everything and removes all traces; may be called again. */
  stop(): Promise<void> {
    return this.#parts.group.stop();
  }

  /** What there still is of the cluster on this machine, besides its folder; empty after `stop`. */
  listTraces(): Promise<string[]> {
    return this.#parts.machine.listTraces();
  }
}
