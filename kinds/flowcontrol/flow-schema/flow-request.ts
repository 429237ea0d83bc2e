/** What classification reads of the one who makes a request. */
export interface FlowUser {
  readonly username: string;
  readonly groups: readonly string[];
}

/** What classification reads of a request. */
export interface FlowRequest {
  /** Whether the path names a resource; the fields after `verb` are empty otherwise. */
  readonly isResourceRequest: boolean;
  /** Decoded, without the query. */
  readonly path: string;
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for requests without a namespace. */
  readonly namespace: string;
}
