import type {
  ContainerFilter,
  FilesystemUsage,
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

// Shapes of the protocol's messages as they are decoded: messages that were left out are null, all other fields have their defaults.

interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly attempt: number;
}

interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** `VersionResponse`. */
export interface VersionMessage {
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly runtimeApiVersion: string;
}

/** `StatusResponse`. */
export interface StatusMessage {
  readonly status: {
    readonly conditions: readonly { type: string; status: boolean; reason: string; message: string }[];
  } | null;
  readonly runtimeHandlers: readonly {
    readonly name: string;
    readonly features: { readonly recursiveReadOnlyMounts: boolean; readonly userNamespaces: boolean } | null;
  }[];
  readonly features: { readonly supplementalGroupsPolicy: boolean } | null;
}

/** `PodSandbox`. */
export interface SandboxMessage extends Labelled {
  readonly id: string;
  readonly metadata: Metadata | null;
  readonly state: string;
  readonly createdAt: number;
  readonly runtimeHandler: string;
}

/** `PodSandboxStatus`. */
export interface SandboxStatusMessage extends SandboxMessage {
  readonly network: { readonly ip: string; readonly additionalIps: readonly { readonly ip: string }[] } | null;
  readonly linux: { readonly namespaces: { readonly options: { readonly network: string } | null } | null } | null;
}

interface ContainerFields extends Labelled {
  readonly id: string;
  readonly metadata: Pick<Metadata, 'name' | 'attempt'> | null;
  readonly image: { readonly image: string; readonly userSpecifiedImage: string } | null;
  readonly imageRef: string;
  readonly state: string;
  readonly createdAt: number;
}

/** `Container`. */
export interface ContainerMessage extends ContainerFields {
  readonly podSandboxId: string;
}

/** `ContainerStatus`. */
export interface ContainerStatusMessage extends ContainerFields {
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly logPath: string;
}

/** `Image`. */
export interface ImageMessage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: number;
  readonly pinned: boolean;
}

/** `FilesystemUsage`. */
export interface FilesystemUsageMessage {
  readonly fsId: { readonly mountpoint: string } | null;
  readonly usedBytes: { readonly value: number } | null;
  readonly inodesUsed: { readonly value: number } | null;
}

const nanosPerMilli = 1e6;
const containerStates = { Created: 0, Running: 1, Exited: 2, Unknown: 3 } as const;
const containerStatesByName = new Map([
  ['CONTAINER_CREATED', 'Created'],
  ['CONTAINER_RUNNING', 'Running'],
  ['CONTAINER_EXITED', 'Exited'],
] as const);

function toMillis(nanos: number): number {
  return Math.floor(nanos / nanosPerMilli);
}

function toMillisIfAny(nanos: number): number | undefined {
  return nanos > 0 ? toMillis(nanos) : undefined;
}

/** A version as the seam has it. */
export function readVersionMessage(message: VersionMessage): RuntimeVersion {
  return { name: message.runtimeName, version: message.runtimeVersion, apiVersion: message.runtimeApiVersion };
}

/** A status as the seam has it. */
export function readStatusMessage(message: StatusMessage): RuntimeStatus {
  return {
    conditions: (message.status?.conditions ?? []).map(({ type, status, reason, message: text }) => ({
      ...{ type, status, reason },
      message: text,
    })),
    handlers: message.runtimeHandlers.map(({ name, features }) => ({
      name,
      recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
      userNamespaces: features?.userNamespaces ?? false,
    })),
    supplementalGroupsPolicy: message.features?.supplementalGroupsPolicy ?? false,
  };
}

/** A sandbox as the seam has it. */
export function readSandboxMessage(message: SandboxMessage): Sandbox {
  return {
    id: message.id,
    name: message.metadata?.name ?? '',
    namespace: message.metadata?.namespace ?? '',
    uid: message.metadata?.uid ?? '',
    attempt: message.metadata?.attempt ?? 0,
    state: message.state === 'SANDBOX_READY' ? 'Ready' : 'NotReady',
    createdAtMillis: toMillis(message.createdAt),
    labels: message.labels,
    annotations: message.annotations,
    runtimeHandler: message.runtimeHandler,
  };
}

/** A sandbox's status as the seam has it. */
export function readSandboxStatusMessage(message: SandboxStatusMessage): SandboxDetails {
  const { network, linux } = message;
  const addresses = network ? [network.ip, ...network.additionalIps.map(({ ip }) => ip)] : [];
  return {
    ...readSandboxMessage(message),
    addresses: addresses.filter((address) => address !== ''),
    usesNodeNetwork: linux?.namespaces?.options?.network === 'NODE',
  };
}

function readContainerFields(message: ContainerFields): Omit<RuntimeContainer, 'sandboxId'> {
  return {
    id: message.id,
    name: message.metadata?.name ?? '',
    attempt: message.metadata?.attempt ?? 0,
    image: message.image?.userSpecifiedImage || message.image?.image || '',
    imageRef: message.imageRef,
    state: containerStatesByName.get(message.state as 'CONTAINER_CREATED') ?? 'Unknown',
    createdAtMillis: toMillis(message.createdAt),
    labels: message.labels,
    annotations: message.annotations,
  };
}

/** A container as the seam has it. */
export function readContainerMessage(message: ContainerMessage): RuntimeContainer {
  return { ...readContainerFields(message), sandboxId: message.podSandboxId };
}

/** A container's status as the seam has it. */
export function readContainerStatusMessage(message: ContainerStatusMessage): RuntimeContainerDetails {
  const { exitCode, reason, message: text, logPath } = message;
  return {
    ...readContainerFields(message),
    startedAtMillis: toMillisIfAny(message.startedAt),
    finishedAtMillis: toMillisIfAny(message.finishedAt),
    ...{ exitCode, reason, message: text, logPath },
  };
}

/** An image as the seam has it. */
export function readImageMessage(message: ImageMessage): RuntimeImage {
  const { id, repoTags, repoDigests, size, pinned } = message;
  return { id, tags: repoTags, digests: repoDigests, sizeBytes: size, pinned };
}

/** The usage of a file system as the seam has it. */
export function readFilesystemMessage(message: FilesystemUsageMessage): FilesystemUsage {
  return {
    mountpoint: message.fsId?.mountpoint ?? '',
    usedBytes: message.usedBytes?.value ?? 0,
    inodesUsed: message.inodesUsed?.value ?? 0,
  };
}

/** The message that asks for some sandboxes. */
export function writeSandboxFilter(filter: RuntimeFilter<SandboxState>): object {
  const { id, state, labels } = filter;
  return { id, labelSelector: labels, ...(state && { state: { state: state === 'Ready' ? 0 : 1 } }) };
}

/** The message that asks for some containers. */
export function writeContainerFilter(filter: ContainerFilter): object {
  const { id, state, labels, sandboxId } = filter;
  const wanted = state && { state: { state: containerStates[state] } };
  return { id, podSandboxId: sandboxId, labelSelector: labels, ...wanted };
}
