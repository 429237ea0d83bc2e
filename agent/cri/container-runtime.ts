/** What a runtime says of itself. */
export interface RuntimeVersion {
  /** Such as `containerd`. */
  readonly name: string;
  readonly version: string;
  /** Version of the interface it speaks, such as `v1`. */
  readonly apiVersion: string;
}

/** One thing that a runtime has or lacks: `RuntimeReady` and `NetworkReady` are those that every runtime tells. */
export interface RuntimeCondition {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** A way to run pods that the runtime is set up for; the name of the usual one is empty. */
export interface RuntimeHandler {
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

/** How a runtime is. */
export interface RuntimeStatus {
  readonly conditions: readonly RuntimeCondition[];
  readonly handlers: readonly RuntimeHandler[];
  readonly supplementalGroupsPolicy: boolean;
}

/** What sandboxes and containers are chosen by; all that is given must hold. */
export interface RuntimeFilter<State> {
  readonly id?: string;
  readonly state?: State;
  readonly labels?: Readonly<Record<string, string>>;
}

/** State of a sandbox, the environment of one pod. */
export type SandboxState = 'Ready' | 'NotReady';

/** The environment of one pod, as a runtime keeps it. */
export interface Sandbox {
  readonly id: string;
  /** Of the pod. */
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** How many came before it, for the same pod. */
  readonly attempt: number;
  readonly state: SandboxState;
  readonly createdAtMillis: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly runtimeHandler: string;
}

/** A sandbox with what only asking for the one tells. */
export interface SandboxDetails extends Sandbox {
  /** Addresses of the pod; none where it uses the node's. */
  readonly addresses: readonly string[];
  readonly usesNodeNetwork: boolean;
}

/** State of a container. */
export type ContainerState = 'Created' | 'Running' | 'Exited' | 'Unknown';

/** A container, as a runtime keeps it. */
export interface RuntimeContainer {
  readonly id: string;
  readonly sandboxId: string;
  /** Of the container within its pod. */
  readonly name: string;
  /** How many came before it, of that name in the same sandbox. */
  readonly attempt: number;
  /** As it was asked for. */
  readonly image: string;
  /** What that meant: a digest or an id. */
  readonly imageRef: string;
  readonly state: ContainerState;
  readonly createdAtMillis: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A container with what only asking for the one tells. */
export interface RuntimeContainerDetails extends Omit<RuntimeContainer, 'sandboxId'> {
  /** `undefined` until it starts. */
  readonly startedAtMillis: number | undefined;
  /** `undefined` until it ends. */
  readonly finishedAtMillis: number | undefined;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly logPath: string;
}

/** What containers are chosen by. */
export interface ContainerFilter extends RuntimeFilter<ContainerState> {
  readonly sandboxId?: string;
}

/** An image that a runtime has. */
export interface RuntimeImage {
  readonly id: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  readonly sizeBytes: number;
  readonly pinned: boolean;
}

/** How much of a file system images or containers take. */
export interface FilesystemUsage {
  readonly mountpoint: string;
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

/** File systems of a runtime's images and of what its containers write. */
export interface ImageFilesystems {
  readonly images: readonly FilesystemUsage[];
  readonly containers: readonly FilesystemUsage[];
}

/** Which container to dump, and where to. */
export interface CheckpointRequest {
  readonly containerId: string;
  /** Absolute path of the archive, as the runtime sees files. */
  readonly location: string;
  /** Passed on to the runtime, which may ignore it; 0 leaves it to the runtime. */
  readonly timeoutSeconds: number;
}

/** How long a call may take. */
export interface CallOptions {
  /** Ends the call; it then throws a `RuntimeFailure` with the code `Canceled`. */
  readonly signal?: AbortSignal;
  /** Instead of the usual time; the call then throws a `RuntimeFailure` with the code `DeadlineExceeded`. */
  readonly timeoutMillis?: number;
}

/**
 * A container runtime and its image service, over the Container Runtime Interface v1. Every method throws `RuntimeFailure` and nothing
 * else: what the runtime refused, or that it could not be reached. While it is away calls fail at once, and work again when it is back.
 */
export interface ContainerRuntime {
  /** Name and versions. */
  readVersion(options?: CallOptions): Promise<RuntimeVersion>;
  /** Conditions and abilities. */
  readStatus(options?: CallOptions): Promise<RuntimeStatus>;
  /** Sandboxes that the filter chooses; without one, all. */
  listSandboxes(filter?: RuntimeFilter<SandboxState>, options?: CallOptions): Promise<readonly Sandbox[]>;
  /** One sandbox by its id; the code is `NotFound` where there is none. */
  readSandbox(id: string, options?: CallOptions): Promise<SandboxDetails>;
  /** Containers that the filter chooses, the ended ones that were not removed too; without one, all. */
  listContainers(filter?: ContainerFilter, options?: CallOptions): Promise<readonly RuntimeContainer[]>;
  /** One container by its id; the code is `NotFound` where there is none. */
  readContainer(id: string, options?: CallOptions): Promise<RuntimeContainerDetails>;
  /** What a container has in memory, without what the kernel could drop; `undefined` while that is not known. */
  readMemoryBytes(id: string, options?: CallOptions): Promise<number | undefined>;
  /**
   * Dumps a running container into an archive; it goes on running. A runtime may go on writing after the call was ended from this side,
   * and only then leave the archive there. Nor does containerd always let the container go on when the call ends early, whether from this
   * side, with this program, or with containerd itself: that is for `resumeContainer`.
   */
  checkpointContainer(request: CheckpointRequest, options?: CallOptions): Promise<void>;
  /**
   * Lets a container go on that a dump which ended early has left paused; a dump under way is waited for. Resolves to whether it was
   * paused: false where it runs or is gone, and with a runtime that leaves none paused.
   */
  resumeContainer(id: string, options?: CallOptions): Promise<boolean>;
  /** Images that the image service has. */
  listImages(options?: CallOptions): Promise<readonly RuntimeImage[]>;
  /** File systems of the image service. */
  readImageFilesystems(options?: CallOptions): Promise<ImageFilesystems>;
  /** Ends the connections, and calls under way with the code `Canceled`; may be called again. */
  close(): void;
}
