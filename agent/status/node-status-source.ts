import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { ContainerRuntime, FilesystemUsage, RuntimeImage, RuntimeStatus } from '../cri/container-runtime.ts';
import type { AgentNode, AgentNodeStatus, MeasuredNode, NodeAddress, NodeSystemInfo } from './agent-node.ts';
import { agentVersion } from './agent-version.ts';
import type { HostFiles } from './host-files.ts';
import { planAddresses } from './plan-addresses.ts';
import { planCapacity } from './plan-capacity.ts';
import { planConditions, type NodeChange, type PressureMemory } from './plan-conditions.ts';
import { planImages } from './plan-images.ts';
import { planRuntimeHealth, unknownRuntimeHealth, type RuntimeHealth } from './plan-runtime-health.ts';
import { completeThresholds, planThresholds, type Threshold } from './plan-thresholds.ts';
import { readMachine, type Machine } from './read-machine.ts';
import { readNetwork } from './read-network.ts';
import { readUsage, type NodeUsage } from './read-usage.ts';

/** As much of the agent's configuration as a node's status depends on. */
export interface NodeStatusConfiguration {
  readonly maxPods: number;
  readonly podsPerCore: number;
  /** Thresholds by signal; wrong ones are left out. */
  readonly evictionHard: Readonly<Record<string, string>>;
  readonly evictionPressureTransitionPeriodMillis: number;
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReserved: Readonly<Record<string, string>>;
}

/** What a node's status is measured with. */
export interface NodeStatusOptions {
  readonly files: HostFiles;
  readonly runtime: Pick<ContainerRuntime, 'readVersion' | 'readStatus' | 'listImages' | 'readImageFilesystems'>;
  readonly nodeName: string;
  /** As configured; empty: found out. */
  readonly nodeIps: readonly string[];
  /** Whether those must be addresses of this machine: not in a pod with a network of its own. */
  readonly checkNodeIps: boolean;
  readonly rootDir: string;
  /** Where the agent serves. */
  readonly port: number;
  readonly configuration: NodeStatusConfiguration;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A node as it was measured, and what changed since `previous`. */
export interface NodeReading {
  readonly node: MeasuredNode;
  readonly changes: readonly NodeChange[];
}

/** What the runtime said; `undefined` where it gave no answer. */
interface RuntimeAnswers {
  readonly status: RuntimeStatus | undefined;
  readonly version: string;
  readonly imageFs: string | undefined;
  readonly containerFs: string | undefined;
}

const runtimeMillis = 5_000;
const imagesMillis = 30_000;
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Measures a node: its capacity and what is left of it, its runtime, its addresses. Keeps what conditions of pressure are remembered by. */
export class NodeStatusSource {
  readonly #options: NodeStatusOptions;
  readonly #thresholds: readonly Threshold[];
  #health: RuntimeHealth = unknownRuntimeHealth;
  #seen: PressureMemory = {};
  #status: RuntimeStatus | undefined;
  #runtimeVersion = 'Unknown';
  #runtimeName = '';
  #images: readonly RuntimeImage[] = [];
  #imagesAtMillis = -Infinity;
  #written: AgentNode | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #addressError = '';

  constructor(options: NodeStatusOptions) {
    this.#options = options;
    this.#thresholds = planThresholds(options.configuration.evictionHard).thresholds;
  }

  /** The node's name. */
  get nodeName(): string {
    return this.#options.nodeName;
  }

  /** Measures the node, one at a time. Times of conditions go on from the last reading. Never throws for what could not be measured. */
  async readNode(): Promise<MeasuredNode> {
    return (await this.read(this.#written)).node;
  }

  /** As `readNode`, with what changed since `previous`, the Node as it is written at the API; `undefined` when there is none yet. */
  read(previous: AgentNode | undefined): Promise<NodeReading> {
    const next = this.#last.then(() => this.#measure(previous ?? this.#written));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #measure(previous: AgentNode | undefined): Promise<NodeReading> {
    const { clock, configuration, files, rootDir } = this.#options;
    const answers = await this.#askRuntime();
    const [machine, usage] = await Promise.all([
      readMachine(files),
      readUsage(files, { rootDir, imageFs: answers.imageFs, containerFs: answers.containerFs }),
    ]);
    const nowMillis = clock.now();
    this.#health = planRuntimeHealth(this.#health, answers.status, nowMillis);
    const amounts = planCapacity({
      machine,
      storageBytes: usage.nodeFs?.capacityBytes,
      maxPods: configuration.maxPods,
      podsPerCore: configuration.podsPerCore,
      reserved: [configuration.systemReserved, configuration.kubeReserved],
      thresholds: this.#thresholds,
    });
    const planned = planConditions({
      usage,
      thresholds: completeThresholds(this.#thresholds, isOnImageFs(usage)),
      runtime: this.#health,
      capacityNames: Object.keys(amounts.capacity),
      seen: this.#seen,
      transitionMillis: configuration.evictionPressureTransitionPeriodMillis,
      previous: previous?.status?.conditions ?? [],
      nowMillis,
    });
    this.#seen = planned.seen;
    const status = {
      ...(await this.#findAddresses(previous?.status?.addresses ?? [])),
      ...amounts,
      conditions: planned.conditions,
      ...this.#describe(machine, answers),
    };
    const node = this.#makeNode(status);
    this.#written = node;
    const changes = [...planned.changes, ...this.#noticeReboot(previous, machine)];
    return { node, changes };
  }

  async #askRuntime(): Promise<RuntimeAnswers> {
    const { runtime } = this.#options;
    const options = { timeoutMillis: runtimeMillis };
    const [status, version, filesystems] = await Promise.all([
      this.#ask('status', () => runtime.readStatus(options)),
      this.#ask('version', () => runtime.readVersion(options)),
      this.#ask('file systems', () => runtime.readImageFilesystems(options)),
    ]);
    if (status !== undefined) this.#status = status;
    if (version !== undefined) {
      this.#runtimeName = version.name;
      this.#runtimeVersion = version.version.replace(/^v/, '');
    }
    if (status !== undefined) await this.#refreshImages();
    const mountpoint = (of: readonly FilesystemUsage[] | undefined): string | undefined =>
      of?.[0]?.mountpoint || undefined;
    const imageFs = mountpoint(filesystems?.images);
    const containerFs = mountpoint(filesystems?.containers) ?? imageFs;
    return { status, version: version === undefined ? 'Unknown' : this.#runtimeVersion, imageFs, containerFs };
  }

  async #refreshImages(): Promise<void> {
    const { clock, runtime } = this.#options;
    const ageMillis = clock.now() - this.#imagesAtMillis;
    if (ageMillis >= 0 && ageMillis < imagesMillis) return;
    const images = await this.#ask('images', () => runtime.listImages({ timeoutMillis: runtimeMillis }));
    if (images === undefined) return;
    this.#images = images;
    this.#imagesAtMillis = clock.now();
  }

  async #ask<T>(what: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      this.#options.logger.debug({ what, err: error }, 'the container runtime did not say');
      return undefined;
    }
  }

  async #findAddresses(previous: readonly NodeAddress[]): Promise<{ addresses?: NodeAddress[] }> {
    const { checkNodeIps, files, logger, nodeIps, nodeName } = this.#options;
    const network = await readNetwork(files, nodeIps.every(isUnspecified) ? nodeName : undefined);
    const planned = planAddresses({ ...network, hostname: nodeName, nodeIps, mustBeOwn: checkNodeIps, previous });
    const error = 'error' in planned ? planned.error : '';
    if (error !== '' && error !== this.#addressError)
      logger.error({ error }, 'the addresses of the node are not known');
    this.#addressError = error;
    if (!('error' in planned)) return { addresses: planned };
    return previous.length === 0 ? {} : { addresses: [...previous] };
  }

  #describe(
    machine: Machine,
    answers: RuntimeAnswers,
  ): Omit<AgentNodeStatus, 'capacity' | 'allocatable' | 'conditions'> {
    const status = this.#status;
    const nodeInfo: NodeSystemInfo = {
      machineID: machine.machineId,
      systemUUID: machine.systemUuid,
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: `${this.#runtimeName}://${answers.version}`,
      kubeletVersion: agentVersion,
      // Kubernetes 1.34 tells it no more.
      kubeProxyVersion: '',
      operatingSystem: process.platform,
      architecture: architectures[process.arch] ?? process.arch,
      ...(machine.swapBytes === 0 ? {} : { swap: { capacity: machine.swapBytes } }),
    };
    const handlers = (status?.handlers ?? []).map(({ name, recursiveReadOnlyMounts, userNamespaces }) => ({
      name,
      features: { recursiveReadOnlyMounts, userNamespaces },
    }));
    return {
      daemonEndpoints: { kubeletEndpoint: { Port: this.#options.port } },
      nodeInfo,
      images: planImages(this.#images),
      ...(handlers.length === 0 ? {} : { runtimeHandlers: handlers }),
      ...(status === undefined ? {} : { features: { supplementalGroupsPolicy: status.supplementalGroupsPolicy } }),
    };
  }

  #makeNode(status: AgentNodeStatus): MeasuredNode {
    const { nodeName } = this.#options;
    const { operatingSystem, architecture } = status.nodeInfo;
    const labels = {
      'beta.kubernetes.io/arch': architecture,
      'beta.kubernetes.io/os': operatingSystem,
      'kubernetes.io/arch': architecture,
      'kubernetes.io/hostname': nodeName,
      'kubernetes.io/os': operatingSystem,
    };
    return { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName, labels }, status };
  }

  #noticeReboot(previous: AgentNode | undefined, machine: Machine): NodeChange[] {
    const known = previous?.status?.nodeInfo?.bootID ?? '';
    if (known === '' || machine.bootId === '' || known === machine.bootId) return [];
    const message = `Node ${this.#options.nodeName} has been rebooted, boot id: ${machine.bootId}`;
    return [{ type: 'Warning', reason: 'Rebooted', message }];
  }
}

/** Whether containers write where images are, and that is a file system of its own. */
function isOnImageFs({ nodeFs, imageFs, containerFs }: NodeUsage): boolean {
  return imageFs !== undefined && imageFs.device !== nodeFs?.device && containerFs?.device === imageFs.device;
}

/** Whether an address only says which family is wanted. */
function isUnspecified(address: string): boolean {
  return address === '::' || address === '0.0.0.0';
}
