/** Longer than a claim can stay open after its object is gone. */
const KEPT_MILLIS = 120_000;
const MAX_KEPT = 100_000;

/** uids of objects whose deletion was seen lately. A uid never comes back, so that nothing can be stored under it any more. */
export class DeletedObjects {
  readonly #monotonicMillis: () => number;
  readonly #uids = new Map<string, number>();

  constructor(monotonicMillis: () => number) {
    this.#monotonicMillis = monotonicMillis;
  }

  /** Notes a deletion, and forgets those that are long past. */
  add(uid: string): void {
    const nowMillis = this.#monotonicMillis();
    this.#uids.set(uid, nowMillis);
    for (const [old, millis] of this.#uids) {
      if (nowMillis - millis <= KEPT_MILLIS && this.#uids.size <= MAX_KEPT) return;
      this.#uids.delete(old);
    }
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }
}
