interface Waiter {
  readonly key: string;
  readonly begin: () => void;
}

/** How many may wait. */
export interface WaitingBounds {
  readonly all: number;
  readonly namespace: number;
  readonly container: number;
}

/**
 * Who may begin: one at a time for each container, and so many in all; in the order of asking where that allows it. A key is
 * `namespace/pod/container`.
 */
export class ContainerTurns {
  readonly #parallel: number;
  readonly #bounds: WaitingBounds;
  readonly #busy = new Set<string>();
  readonly #held = new Set<string>();
  readonly #waiters: Waiter[] = [];
  readonly #holders: Waiter[] = [];

  constructor(options: { readonly parallel: number; readonly waiting: WaitingBounds }) {
    this.#parallel = options.parallel;
    this.#bounds = options.waiting;
  }

  /** Keys whose turn it is; not those that are held. */
  get busyCount(): number {
    return this.#busy.size;
  }

  get waitingCount(): number {
    return this.#waiters.length;
  }

  /** Whether no more can wait for this key. */
  isFull(key: string): boolean {
    const { all, namespace, container } = this.#bounds;
    const prefix = key.slice(0, key.indexOf('/') + 1);
    const near = this.#waiters.filter((waiter) => waiter.key.startsWith(prefix));
    const same = near.filter((waiter) => waiter.key === key);
    return this.#waiters.length >= all || near.length >= namespace || same.length >= container;
  }

  /** Whether `take` would have to wait. */
  mustWait(key: string): boolean {
    return this.#busy.size >= this.#parallel || !this.#isFree(key);
  }

  /** Resolves to a function that ends the turn (once) when it has come, and to `undefined` when `signal` aborts before. */
  take(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    return this.#wait(this.#waiters, this.#busy, key, signal);
  }

  /** As `take`, but before all that wait for the key, and whatever there is in all. */
  hold(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    return this.#wait(this.#holders, this.#held, key, signal);
  }

  async #wait(
    waiters: Waiter[],
    keys: Set<string>,
    key: string,
    signal: AbortSignal,
  ): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    const hasCome = await new Promise<boolean>((resolve) => {
      const leave = (): void => {
        waiters.splice(waiters.indexOf(waiter), 1);
        resolve(false);
      };
      const waiter: Waiter = {
        key,
        begin: () => {
          signal.removeEventListener('abort', leave);
          keys.add(key);
          resolve(true);
        },
      };
      waiters.push(waiter);
      signal.addEventListener('abort', leave, { once: true });
      this.#beginNext();
    });
    if (!hasCome) return undefined;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      keys.delete(key);
      this.#beginNext();
    };
  }

  #isFree(key: string): boolean {
    return !this.#busy.has(key) && !this.#held.has(key);
  }

  #beginNext(): void {
    while (this.#beginOne(this.#holders));
    while (this.#busy.size < this.#parallel && this.#beginOne(this.#waiters));
  }

  /** Lets the first one begin whose key is free; returns whether there is one. */
  #beginOne(waiters: Waiter[]): boolean {
    const place = waiters.findIndex(({ key }) => this.#isFree(key));
    const [waiter] = place < 0 ? [] : waiters.splice(place, 1);
    waiter?.begin();
    return waiter !== undefined;
  }
}
