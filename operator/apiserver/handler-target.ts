/** Which subresource, or which create-only kind, a handler serves. */
export interface HandlerTarget {
  /** Resolved group of the parent kind (`''` for the core group). */
  readonly group: string;
  readonly version: string;
  /** Plural of the parent kind, or of the create-only kind itself. */
  readonly resource: string;
  /** Absent when the handler serves a create-only kind (`subjectaccessreviews`). */
  readonly subresource?: string;
}
