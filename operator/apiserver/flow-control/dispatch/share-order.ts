import type { Share } from './ticket.ts';

const MAX_CHUNK = 512;

function precedes<Details>(left: Share<Details>, finish: number, index: number): boolean {
  const leftFinish = left.orderedFinish ?? 0;
  return leftFinish < finish || (leftFinish === finish && left.index < index);
}

/** How many queues of a sorted chunk come before a place. */
function countBefore<Details>(chunk: readonly Share<Details>[], finish: number, index: number): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const share = chunk[middle];
    if (share !== undefined && precedes(share, finish, index)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Shares for whose turn someone waits, by when their first request would be done (`orderedFinish`), then by index. Sorted chunks, so that many
 * shares cost little more than few.
 */
export class ShareOrder<Details> {
  readonly #chunks: Share<Details>[][] = [[]];

  /** Puts in a share that is not in, at a finish. */
  add(share: Share<Details>, finish: number): void {
    share.orderedFinish = finish;
    const position = this.#findChunk(finish, share.index);
    const chunk = this.#chunks[position] ?? [];
    chunk.splice(countBefore(chunk, finish, share.index), 0, share);
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(position + 1, 0, chunk.splice(MAX_CHUNK / 2));
  }

  /** Takes out a share that is in. */
  remove(share: Share<Details>): void {
    const finish = share.orderedFinish ?? 0;
    const position = this.#findChunk(finish, share.index);
    const chunk = this.#chunks[position] ?? [];
    chunk.splice(countBefore(chunk, finish, share.index), 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(position, 1);
    share.orderedFinish = undefined;
  }

  /** The share with the least finish; of several the first one after `index`, going round. Undefined when there is none. */
  findNext(index: number): Share<Details> | undefined {
    const least = this.#chunks[0]?.[0];
    if (least === undefined) return undefined;
    const finish = least.orderedFinish ?? 0;
    const position = this.#findChunk(finish, index + 1);
    const chunk = this.#chunks[position] ?? [];
    const next = chunk[countBefore(chunk, finish, index + 1)];
    return next?.orderedFinish === finish ? next : least;
  }

  /** Moves all of them by the same amount. */
  shift(delta: number): void {
    for (const chunk of this.#chunks)
      for (const share of chunk) share.orderedFinish = (share.orderedFinish ?? 0) + delta;
  }

  /** All of them in order. */
  *[Symbol.iterator](): Generator<Share<Details>> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  /** The first chunk whose last share does not come before the place; the last chunk when all do. */
  #findChunk(finish: number, index: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#chunks[middle]?.at(-1);
      if (last !== undefined && precedes(last, finish, index)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
