import { makeTooManyRequestsError } from '../../core/errors/make-status-error.ts';

const RETRY_SECONDS = 5;

/** Bounds how many long calls are under way, in all and with one node's agent: they hold no seats of flow control. */
export class CallLimit {
  readonly #most: { readonly all: number; readonly node: number };
  readonly #byNode = new Map<string, number>();
  #all = 0;

  constructor(most: { readonly all: number; readonly node: number }) {
    this.#most = most;
  }

  /** Counts a call until the function that is returned is called. Throws 429 when there are as many as there may be. */
  begin(nodeName: string): () => void {
    const ofNode = this.#byNode.get(nodeName) ?? 0;
    if (this.#all >= this.#most.all || ofNode >= this.#most.node) {
      throw makeTooManyRequestsError(
        'Too many calls to node agents are under way, please try again later.',
        RETRY_SECONDS,
      );
    }
    this.#all += 1;
    this.#byNode.set(nodeName, ofNode + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#all -= 1;
      const left = (this.#byNode.get(nodeName) ?? 1) - 1;
      if (left === 0) this.#byNode.delete(nodeName);
      else this.#byNode.set(nodeName, left);
    };
  }
}
