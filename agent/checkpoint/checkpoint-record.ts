/** What is known of one finished archive. */
export interface CheckpointRecord {
  /** Name of the API object, unique on the node: `<pod>-<container>-<time>`, in lower case. */
  readonly name: string;
  readonly namespace: string;
  readonly podName: string;
  readonly podUid: string;
  readonly containerName: string;
  /** The container's id in its runtime, without a scheme. */
  readonly containerId: string;
  readonly nodeName: string;
  /** Absolute path of the archive on the node. */
  readonly archive: string;
  readonly sizeBytes: number;
  /** When the runtime was asked; RFC 3339 in UTC with milliseconds. */
  readonly startTime: string;
  /** When the archive was complete and on disk; RFC 3339 in UTC with milliseconds. */
  readonly completionTime: string;
  /** Never removed by retention while set. */
  readonly pinned: boolean;
}

/** A request for a checkpoint of one container. */
export interface CheckpointRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Whole seconds that the request may take, waiting included; 0 or `undefined` means the default, NaN is refused as what no number was. */
  readonly timeoutSeconds: number | undefined;
}

/** What `CheckpointFailure` may be. */
export const checkpointFailures = [
  'NotFound',
  'NotRunning',
  'InvalidTimeout',
  'Busy',
  'Unimplemented',
  'Runtime',
  'Timeout',
  'Storage',
  'Canceled',
] as const;

/** Why there is no checkpoint, in a word; also the label of the metric. */
export type CheckpointFailure = (typeof checkpointFailures)[number];

/** Why there is no checkpoint, as the kubelet says it. */
export interface CheckpointRefusal {
  /** HTTP status code. */
  readonly status: 404 | 429 | 500 | 503;
  /** The reason of a Status with this code. */
  readonly reason: 'NotFound' | 'TooManyRequests' | 'InternalError' | 'ServiceUnavailable';
  readonly failure: CheckpointFailure;
  readonly message: string;
}

/** What a request for a checkpoint comes to. */
export type CheckpointResult = { readonly record: CheckpointRecord } | { readonly refusal: CheckpointRefusal };

/** How far a checkpoint is. `Dumping`: the runtime saves the container's state; `Storing`: it writes the archive. */
export interface CheckpointProgress {
  readonly type: 'Progress';
  readonly phase: 'Waiting' | 'Dumping' | 'Storing';
  /** Bytes of the archive so far. */
  readonly bytes: number;
}
