import { makeTooManyRequestsError } from '../../core/errors/make-status-error.ts';

const RETRY_SECONDS = 5;

/** How much of it the calls of one namespace may take. */
const NAMESPACE_PART = 0.25;

/**
 * Bounds how many long calls are under way, in all and with one node's agent, and how many of these are of one namespace, so that none keeps
 * the others waiting: they hold no seats of flow control.
 */
export class CallLimit {
  readonly #most: { readonly all: number; readonly node: number };
  /** Counts, with the empty name for all nodes and for all namespaces. */
  readonly #counts = new Map<string, number>();

  constructor(most: { readonly all: number; readonly node: number }) {
    this.#most = most;
  }

  /** Counts a call until the function that is returned is called. Throws 429 when there are as many as there may be. */
  begin(nodeName: string, namespace: string): () => void {
    const { all, node } = this.#most;
    const bounds: readonly (readonly [key: string, most: number])[] = [
      ['/', all],
      [`${nodeName}/`, node],
      [`/${namespace}`, Math.ceil(all * NAMESPACE_PART)],
      [`${nodeName}/${namespace}`, Math.ceil(node * NAMESPACE_PART)],
    ];
    if (bounds.some(([key, most]) => (this.#counts.get(key) ?? 0) >= most)) {
      throw makeTooManyRequestsError(
        'Too many calls to node agents are under way, please try again later.',
        RETRY_SECONDS,
      );
    }
    for (const [key] of bounds) this.#add(key, 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      for (const [key] of bounds) this.#add(key, -1);
    };
  }

  #add(key: string, change: number): void {
    const count = (this.#counts.get(key) ?? 0) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
