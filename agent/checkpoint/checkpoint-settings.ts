/** How many archives of something are kept; `undefined` sets no bound. */
export interface RetentionLimit {
  readonly maxCount: number | undefined;
  readonly maxBytes: number | undefined;
  /** Age after which one is removed, beside the one that holds for all. */
  readonly maxAgeMillis?: number | undefined;
}

/** Which archives are kept. Bounds hold for each container, each pod, each namespace, and the node. */
export interface RetentionSettings {
  readonly container: RetentionLimit;
  readonly pod: RetentionLimit;
  readonly namespace: RetentionLimit;
  readonly node: RetentionLimit;
  /** Age after which an archive is removed; `undefined`: never for its age. */
  readonly maxAgeMillis: number | undefined;
  /** How long a pod must be gone from the node before its archives are removed; `undefined`: they are kept. */
  readonly podGoneAgeMillis: number | undefined;
}

/** How checkpoints are made and kept. */
export interface CheckpointSettings {
  /** Checkpoints that are made at once, at most. */
  readonly parallel: number;
  /** How long a request without a timeout may take; `undefined`: as long as the runtime's requests may. */
  readonly defaultTimeoutMillis: number | undefined;
  /** Bytes that stay free on the archives' filesystem: no checkpoint begins below, and one that would go below is given up. */
  readonly minimumFreeBytes: number;
  /** The same as a share of the filesystem, from 0 to 1; the larger of both holds. */
  readonly minimumFreeShare: number;
  readonly retention: RetentionSettings;
}

const gibibyte = 2 ** 30;
const hourMillis = 3_600_000;

/** What holds for settings that nobody made. */
export const defaultCheckpointSettings: CheckpointSettings = {
  parallel: 2,
  defaultTimeoutMillis: undefined,
  minimumFreeBytes: 2 * gibibyte,
  // More than a kubelet wants free before it evicts pods: 10 % of the node's filesystem, 15 % of that of images.
  minimumFreeShare: 0.15,
  retention: {
    container: { maxCount: 10, maxBytes: undefined },
    pod: { maxCount: 30, maxBytes: undefined },
    // Half of the node's, so that no namespace alone takes it from all others.
    namespace: { maxCount: 200, maxBytes: 10 * gibibyte },
    node: { maxCount: 1000, maxBytes: 20 * gibibyte },
    maxAgeMillis: 7 * 24 * hourMillis,
    podGoneAgeMillis: 24 * hourMillis,
  },
};
