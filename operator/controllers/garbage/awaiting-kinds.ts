const leastPruned = 1000;

/** Uids of objects about which nothing can be said before the kinds that are served change. */
export class AwaitingKinds {
  readonly #uids = new Set<string>();
  readonly #isTracked: (uid: string) => boolean;
  /** So many uids are looked through for those of objects that are gone. */
  #pruneAt = leastPruned;

  /** `isTracked` tells of a uid whether it is still worth a look. */
  constructor(isTracked: (uid: string) => boolean) {
    this.#isTracked = isTracked;
  }

  get size(): number {
    return this.#uids.size;
  }

  add(uid: string): void {
    this.#uids.add(uid);
    if (this.#uids.size < this.#pruneAt) return;
    for (const known of this.#uids) if (!this.#isTracked(known)) this.#uids.delete(known);
    this.#pruneAt = Math.max(leastPruned, 2 * this.#uids.size);
  }

  /** All of them, which are then forgotten. */
  takeAll(): string[] {
    const uids = [...this.#uids];
    this.#uids.clear();
    this.#pruneAt = leastPruned;
    return uids;
  }
}
