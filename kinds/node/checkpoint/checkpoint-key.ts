import type { Checkpoint } from './schema.ts';

/** By what checkpoints are listed: their namespaces first, then their names, byte by byte. */
export interface CheckpointKey {
  readonly namespace: string;
  readonly name: string;
}

/** The key of a checkpoint. */
export function keyOf({ metadata }: Checkpoint): CheckpointKey {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** Negative when `left` is listed before `right`, 0 when both are the same. Names are ASCII. */
export function compareKeys(left: CheckpointKey, right: CheckpointKey): number {
  if (left.namespace !== right.namespace) return left.namespace < right.namespace ? -1 : 1;
  return left.name === right.name ? 0 : left.name < right.name ? -1 : 1;
}
