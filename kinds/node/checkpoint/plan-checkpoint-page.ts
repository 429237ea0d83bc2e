import type { Checkpoint } from './schema.ts';

/** By what checkpoints are listed: their namespaces first, then their names, byte by byte. */
export interface CheckpointKey {
  readonly namespace: string;
  readonly name: string;
}

/** What one node has told so far: its checkpoints behind the start of the page, in order and without a gap. */
export interface CheckpointSource {
  readonly nodeName: string;
  readonly items: readonly Checkpoint[];
  /** Whether these are all. */
  readonly isComplete: boolean;
}

/** A page so far. */
export interface CheckpointPage {
  /** Those that belong to the page for certain. */
  readonly items: readonly Checkpoint[];
  /** Nodes that must tell more before the page is whole; empty when it is. */
  readonly wanted: readonly string[];
  /** Where the next page goes on, behind this key; `undefined` on the last one, and while the page is not whole. */
  readonly next?: CheckpointKey;
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

/** Up to which key all nodes have told what they hold; `undefined` when one that has told nothing may hold anything. */
function findFrontier(open: readonly CheckpointSource[]): CheckpointKey | undefined {
  let frontier: CheckpointKey | undefined;
  for (const { items } of open) {
    const last = items.at(-1);
    if (last === undefined) return undefined;
    const key = keyOf(last);
    if (frontier === undefined || compareKeys(key, frontier) < 0) frontier = key;
  }
  return frontier;
}

/**
 * Merges what the nodes have told into one page of at most `limit` (0: all) checkpoints that `matches`. Two nodes that hold the same name
 * are never parted by the end of a page, which may be longer for it.
 */
export function planCheckpointPage(
  sources: readonly CheckpointSource[],
  limit: number,
  matches: (checkpoint: Checkpoint) => boolean,
): CheckpointPage {
  const open = sources.filter(({ isComplete }) => !isComplete);
  const frontier = findFrontier(open);
  if (open.length > 0 && (limit === 0 || frontier === undefined)) {
    const silent = open.filter(({ items }) => limit === 0 || items.length === 0);
    return { items: [], wanted: silent.map(({ nodeName }) => nodeName) };
  }
  const settled = sources
    .flatMap(({ items }) => items)
    .filter((item) => frontier === undefined || compareKeys(keyOf(item), frontier) <= 0)
    .toSorted((left, right) => compareKeys(keyOf(left), keyOf(right)));
  const items: Checkpoint[] = [];
  for (const item of settled) {
    const last = items.at(-1);
    if (limit > 0 && items.length >= limit && last !== undefined && compareKeys(keyOf(last), keyOf(item)) !== 0) {
      return { items, wanted: [], next: keyOf(last) };
    }
    if (matches(item)) items.push(item);
  }
  const last = items.at(-1);
  if (open.length === 0 || frontier === undefined) return { items, wanted: [] };
  if (limit > 0 && items.length >= limit && last !== undefined) return { items, wanted: [], next: keyOf(last) };
  const behind = open.filter((source) => {
    const end = source.items.at(-1);
    return end !== undefined && compareKeys(keyOf(end), frontier) === 0;
  });
  return { items, wanted: behind.map(({ nodeName }) => nodeName) };
}
