const rememberedMillis = 60_000;

/** Pods that were seen to go in the last minute, by key, so that they are told from those that were not seen yet. */
export class GonePods {
  readonly #goneAt = new Map<string, number>();

  /** Notes that a pod has gone. */
  add(key: string, nowMillis: number): void {
    this.#goneAt.delete(key);
    this.#goneAt.set(key, nowMillis);
    for (const [other, goneMillis] of this.#goneAt) {
      if (goneMillis > nowMillis - rememberedMillis) return;
      this.#goneAt.delete(other);
    }
  }

  /** Notes that there is a pod under the key. */
  delete(key: string): void {
    this.#goneAt.delete(key);
  }

  /** Whether a pod was seen to go at this time or later, and none has come in its place. */
  hasGoneSince(key: string, sinceMillis: number): boolean {
    return (this.#goneAt.get(key) ?? Number.NEGATIVE_INFINITY) >= sinceMillis;
  }
}
