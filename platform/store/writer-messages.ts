/** `code` of the fault when a request reaches before the compacted revision. */
export const COMPACTED_CODE = 'ERR_STORE_COMPACTED';

/** What opens the writer thread. */
export interface WriterOptions {
  readonly file: string;
}

/** Packed rows with their count. */
export interface RowPage {
  readonly rows: ArrayBuffer;
  readonly count: number;
}

/** A request to the writer thread; replies carry its `id`. */
export type WriterRequest =
  /** `epoch` is refused once a commit of the same epoch has failed, so that no write lands behind a lost one. */
  | ({ readonly type: 'commit'; readonly id: number; readonly epoch: number } & RowPage)
  /** Changes in (`after`, `upTo`] under `prefix`; values with them unless `keysOnly`. */
  | {
      readonly type: 'changes';
      readonly id: number;
      readonly prefix: string;
      readonly after: number;
      readonly upTo: number;
      readonly max: number;
      readonly keysOnly: boolean;
    }
  | { readonly type: 'values'; readonly id: number; readonly revisions: readonly number[] }
  | { readonly type: 'compact'; readonly id: number; readonly revision: number }
  | { readonly type: 'setting'; readonly id: number; readonly name: string; readonly value: string }
  | { readonly type: 'close'; readonly id: number };

/** What the file holds beside the objects, sent once all of them have been. */
export interface OpenedFile {
  readonly revision: number;
  readonly compactedRevision: number;
  readonly settings: readonly (readonly [string, string])[];
  /** Rows and bytes of superseded values and deletions. */
  readonly historyRows: number;
  readonly historyBytes: number;
}

/** An error as it travels between threads. */
export interface WriterFault {
  readonly message: string;
  readonly code?: string | undefined;
  readonly errcode?: number | undefined;
}

/** A message of the writer thread. */
export type WriterReply =
  | ({ readonly type: 'objects' } & RowPage)
  | ({ readonly type: 'opened' } & OpenedFile)
  | { readonly type: 'done'; readonly id: number; readonly spare?: ArrayBuffer }
  /** `reached`: every change up to this revision is on this page or an earlier one. */
  | ({ readonly type: 'page'; readonly id: number; readonly reached: number } & RowPage)
  | { readonly type: 'fault'; readonly id: number; readonly fault: WriterFault }
  | { readonly type: 'openFault'; readonly fault: WriterFault };
