/** Among whom seats are shared fairly, and how much is held against those who had more. */
export interface QueuingRules {
  /** Flows, or queues, in which flows may meet. */
  readonly sharesAmong: 'flows' | 'queues';
  /** How far someone may be ahead of the others who waits again: by what all seats of the level do in this time. */
  readonly maxLeadNanos: number;
}

/**
 * Seats are shared among flows; queues only bound how many wait. So a flow that fills several queues gets no more than one that waits in one,
 * and whoever meets it in a queue does not wait for it. Whoever used seats that nobody else wanted makes up for a fifth of a second of that
 * at most: enough to keep one that always wants more behind those that come now and then, and not so much that it ever starves.
 */
export const fairRules: QueuingRules = { sharesAmong: 'flows', maxLeadNanos: 200_000_000 };

/** What Kubernetes' own queues do, to compare with them. */
export const kubernetesRules: QueuingRules = { sharesAmong: 'queues', maxLeadNanos: Infinity };
