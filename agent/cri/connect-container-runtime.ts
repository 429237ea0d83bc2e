import type {
  CallOptions,
  CheckpointRequest,
  ContainerFilter,
  ContainerRuntime,
  ImageFilesystems,
  RuntimeContainer,
  RuntimeContainerDetails,
  RuntimeFilter,
  RuntimeImage,
  RuntimeStatus,
  RuntimeVersion,
  Sandbox,
  SandboxDetails,
  SandboxState,
} from './container-runtime.ts';
import { systemClock, sleep } from '../../platform/process/clock.ts';
import { stoppedTaskStatuses } from './containerd-tasks.ts';
import { CriConnection, type CriCallOptions } from './cri-connection.ts';
import {
  readContainerMessage,
  readContainerStatusMessage,
  readFilesystemMessage,
  readImageMessage,
  readSandboxMessage,
  readSandboxStatusMessage,
  readStatusMessage,
  readVersionMessage,
  writeContainerFilter,
  writeSandboxFilter,
  type ContainerMessage,
  type ContainerStatusMessage,
  type FilesystemUsageMessage,
  type ImageMessage,
  type SandboxMessage,
  type SandboxStatusMessage,
  type StatusMessage,
  type VersionMessage,
} from './cri-messages.ts';
import { CriProtocol, type CriService } from './cri-protocol.ts';
import { RuntimeFailure } from './runtime-failure.ts';

/** Where a runtime and its image service are. */
export interface ContainerRuntimeOptions {
  /** Absolute path of the runtime's socket. */
  readonly runtimeSocket: string;
  /** Absolute path of the image service's socket; absent: the runtime's. */
  readonly imageSocket?: string;
  /** The time of a call that says none. */
  readonly timeoutMillis: number;
}

/** How often, and how long after one another, a container must be seen running before it is believed that nobody is pausing it. */
const looks = { count: 3, gapMillis: 200 } as const;

class CriRuntime implements ContainerRuntime {
  readonly #connections: Readonly<Record<CriService, CriConnection>>;
  readonly #timeoutMillis: number;

  constructor(runtime: CriConnection, images: CriConnection, timeoutMillis: number) {
    this.#timeoutMillis = timeoutMillis;
    this.#connections = { RuntimeService: runtime, ImageService: images, Tasks: runtime };
  }

  // The protocol's definition makes the answer; `Answer` only says it again for the compiler.
  async #call<Answer>(service: CriService, method: string, request: object, options?: CriCallOptions): Promise<Answer> {
    return (await this.#connections[service].call(service, method, request, options)) as Answer;
  }

  async readVersion(options?: CallOptions): Promise<RuntimeVersion> {
    return readVersionMessage(await this.#call<VersionMessage>('RuntimeService', 'Version', {}, options));
  }

  async readStatus(options?: CallOptions): Promise<RuntimeStatus> {
    return readStatusMessage(await this.#call<StatusMessage>('RuntimeService', 'Status', {}, options));
  }

  async listSandboxes(filter?: RuntimeFilter<SandboxState>, options?: CallOptions): Promise<readonly Sandbox[]> {
    const request = { filter: writeSandboxFilter(filter ?? {}) };
    type Answer = { readonly items: readonly SandboxMessage[] };
    const { items } = await this.#call<Answer>('RuntimeService', 'ListPodSandbox', request, options);
    return items.map(readSandboxMessage);
  }

  async readSandbox(id: string, options?: CallOptions): Promise<SandboxDetails> {
    type Answer = { readonly status: SandboxStatusMessage | null };
    const request = { podSandboxId: id };
    const { status } = await this.#call<Answer>('RuntimeService', 'PodSandboxStatus', request, options);
    if (status === null) throw new RuntimeFailure('Internal', 'the answer has no status of the sandbox');
    return readSandboxStatusMessage(status);
  }

  async listContainers(filter?: ContainerFilter, options?: CallOptions): Promise<readonly RuntimeContainer[]> {
    const request = { filter: writeContainerFilter(filter ?? {}) };
    type Answer = { readonly containers: readonly ContainerMessage[] };
    const { containers } = await this.#call<Answer>('RuntimeService', 'ListContainers', request, options);
    return containers.map(readContainerMessage);
  }

  async readContainer(id: string, options?: CallOptions): Promise<RuntimeContainerDetails> {
    type Answer = { readonly status: ContainerStatusMessage | null };
    const request = { containerId: id };
    const { status } = await this.#call<Answer>('RuntimeService', 'ContainerStatus', request, options);
    if (status === null) throw new RuntimeFailure('Internal', 'the answer has no status of the container');
    return readContainerStatusMessage(status);
  }

  async readMemoryBytes(id: string, options?: CallOptions): Promise<number | undefined> {
    type Answer = {
      readonly stats: {
        readonly memory: { readonly workingSetBytes: { readonly value: number } | null } | null;
      } | null;
    };
    const { stats } = await this.#call<Answer>('RuntimeService', 'ContainerStats', { containerId: id }, options);
    return stats?.memory?.workingSetBytes?.value;
  }

  async checkpointContainer(request: CheckpointRequest, options?: CallOptions): Promise<void> {
    const { containerId, location, timeoutSeconds } = request;
    const message = { containerId, location, timeout: timeoutSeconds };
    // containerd passes a deadline on, at which runc is killed in the middle of its work.
    const kept = { ...options, keepsDeadlineToItself: true };
    await this.#call('RuntimeService', 'CheckpointContainer', message, kept);
  }

  async #readTaskStatus(id: string, options?: CallOptions): Promise<number | undefined> {
    type Answer = { readonly process: { readonly status: number } | null };
    try {
      return (await this.#call<Answer>('Tasks', 'Get', { containerId: id }, options)).process?.status;
    } catch (error) {
      if (!(error instanceof RuntimeFailure)) throw error;
      // It is gone, or the runtime is not containerd.
      if (error.code === 'NotFound' || error.code === 'Unimplemented') return undefined;
      // containerd waits 2 s for an answer, which there is none of while a dump is under way.
      if (error.code === 'DeadlineExceeded') return stoppedTaskStatuses.pausing;
      throw error;
    }
  }

  async resumeContainer(id: string, options?: CallOptions): Promise<boolean> {
    const deadlineMillis = Date.now() + (options?.timeoutMillis ?? this.#timeoutMillis);
    let failure: RuntimeFailure | undefined;
    let seen = 0;
    while (seen < looks.count) {
      const status = await this.#readTaskStatus(id, options);
      if (status === undefined) return false;
      if (status === stoppedTaskStatuses.paused) {
        failure = await this.#tryToResume(id, options);
        if (failure === undefined) return true;
      } else if (status !== stoppedTaskStatuses.pausing) {
        seen += 1;
      }
      if (Date.now() > deadlineMillis) {
        throw failure ?? new RuntimeFailure('DeadlineExceeded', 'context deadline exceeded');
      }
      await sleep(systemClock, looks.gapMillis, options?.signal);
    }
    return false;
  }

  /** Why it could not: the runtime may have been about to do it itself, so that the next look says more. */
  async #tryToResume(id: string, options?: CallOptions): Promise<RuntimeFailure | undefined> {
    try {
      await this.#call('Tasks', 'Resume', { containerId: id }, options);
      return undefined;
    } catch (error) {
      if (error instanceof RuntimeFailure && error.code === 'Unknown') return error;
      throw error;
    }
  }

  async listImages(options?: CallOptions): Promise<readonly RuntimeImage[]> {
    type Answer = { readonly images: readonly ImageMessage[] };
    const { images } = await this.#call<Answer>('ImageService', 'ListImages', {}, options);
    return images.map(readImageMessage);
  }

  async readImageFilesystems(options?: CallOptions): Promise<ImageFilesystems> {
    type Answer = {
      readonly imageFilesystems: readonly FilesystemUsageMessage[];
      readonly containerFilesystems: readonly FilesystemUsageMessage[];
    };
    const answer = await this.#call<Answer>('ImageService', 'ImageFsInfo', {}, options);
    return {
      images: answer.imageFilesystems.map(readFilesystemMessage),
      containers: answer.containerFilesystems.map(readFilesystemMessage),
    };
  }

  close(): void {
    for (const connection of Object.values(this.#connections)) connection.close();
  }
}

/**
 * A container runtime behind unix sockets. Nothing is asked of it yet: whether it is there, the first call tells. Throws where the
 * protocol's definition is missing.
 */
export async function connectContainerRuntime(options: ContainerRuntimeOptions): Promise<ContainerRuntime> {
  const { runtimeSocket, imageSocket = runtimeSocket, timeoutMillis } = options;
  const protocol = await CriProtocol.load();
  const runtime = new CriConnection(protocol, { socketPath: runtimeSocket, timeoutMillis });
  if (imageSocket === runtimeSocket) return new CriRuntime(runtime, runtime, timeoutMillis);
  const images = new CriConnection(protocol, { socketPath: imageSocket, timeoutMillis });
  return new CriRuntime(runtime, images, timeoutMillis);
}
