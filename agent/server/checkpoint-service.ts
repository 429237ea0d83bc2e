import type { Readable } from 'node:stream';
import type {
  CheckpointProgress,
  CheckpointRecord,
  CheckpointRequest,
  CheckpointResult,
} from '../checkpoint/checkpoint-record.ts';

/** An archive that is open to be read, until it is closed. */
export interface OpenArchive {
  readonly record: CheckpointRecord;
  readonly sizeBytes: number;
  /** All of it, or the bytes from `start` to `end`, both of them too. */
  read(range?: { readonly start: number; readonly end: number }): Readable;
  close(): Promise<void> | void;
}

/** The node's checkpoints, as requests need them. */
export interface CheckpointService {
  create(
    request: CheckpointRequest,
    options: { readonly signal: AbortSignal; readonly onProgress?: (progress: CheckpointProgress) => void },
  ): Promise<CheckpointResult>;
  /** Sorted by namespace, then by name. */
  list(namespace?: string): readonly CheckpointRecord[];
  find(namespace: string, name: string): CheckpointRecord | undefined;
  openArchive(namespace: string, name: string): Promise<OpenArchive | undefined>;
  setPinned(namespace: string, name: string, pinned: boolean): Promise<CheckpointRecord | undefined>;
  remove(namespace: string, name: string): Promise<CheckpointRecord | undefined>;
}
