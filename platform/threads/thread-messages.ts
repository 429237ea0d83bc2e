/** One task for a thread of a pool; `input` is whatever can be passed between threads. */
export interface ThreadRequest {
  readonly id: number;
  readonly input: unknown;
}

/** What a thread answers: the result, or the text of an error that is ours. */
export type ThreadReply =
  { readonly id: number; readonly output: unknown } | { readonly id: number; readonly failure: string };
