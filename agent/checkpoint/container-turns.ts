interface Waiter {
  readonly key: string;
  readonly begin: () => void;
}

/** Who may begin: one at a time for each key, and so many in all; in the order of asking where that allows it. */
export class ContainerTurns {
  readonly #parallel: number;
  readonly #maxWaiting: number;
  readonly #busy = new Set<string>();
  readonly #waiters: Waiter[] = [];

  constructor(options: { readonly parallel: number; readonly maxWaiting: number }) {
    this.#parallel = options.parallel;
    this.#maxWaiting = options.maxWaiting;
  }

  /** Keys whose turn it is. */
  get busyCount(): number {
    return this.#busy.size;
  }

  get waitingCount(): number {
    return this.#waiters.length;
  }

  /** Whether no more can wait. */
  get isFull(): boolean {
    return this.#waiters.length >= this.#maxWaiting;
  }

  /** Whether `take` would have to wait. */
  mustWait(key: string): boolean {
    return this.#busy.size >= this.#parallel || this.#busy.has(key);
  }

  /** Resolves to a function that ends the turn (once) when it has come, and to `undefined` when `signal` aborts before. */
  async take(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    const hasCome = await new Promise<boolean>((resolve) => {
      const leave = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        resolve(false);
      };
      const waiter: Waiter = {
        key,
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve(true);
        },
      };
      this.#waiters.push(waiter);
      signal.addEventListener('abort', leave, { once: true });
      this.#beginNext();
    });
    if (!hasCome) return undefined;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#busy.delete(key);
      this.#beginNext();
    };
  }

  #beginNext(): void {
    while (this.#busy.size < this.#parallel) {
      const place = this.#waiters.findIndex(({ key }) => !this.#busy.has(key));
      const [waiter] = place < 0 ? [] : this.#waiters.splice(place, 1);
      if (waiter === undefined) return;
      this.#busy.add(waiter.key);
      waiter.begin();
    }
  }
}
