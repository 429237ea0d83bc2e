const MAX_RETRY_SECONDS = 32;

interface SecondOfDrops {
  readonly second: number;
  readonly drops: number;
}

/** What was dropped of one priority level in the last seconds, and how long its clients are asked to wait. */
class LevelDrops {
  retryAfterSeconds = 1;
  #history: SecondOfDrops[] = [];
  #second = 0;
  #drops = 0;
  #raisedSecond = 0;

  record(second: number): void {
    if (second === this.#second) {
      this.#drops += 1;
      return;
    }
    this.#keep({ second: this.#second, drops: this.#drops });
    this.#second = second;
    this.#drops = 1;
    this.#adjust(second);
  }

  #keep(entry: SecondOfDrops): void {
    this.#history.push(entry);
    const kept = Math.min(2 * this.retryAfterSeconds, MAX_RETRY_SECONDS);
    this.#history = this.#history.filter(({ second }) => entry.second - second <= kept);
  }

  /** In the manner of TCP: doubled while much is dropped, lowered by one when little is. */
  #adjust(now: number): void {
    const { retryAfterSeconds } = this;
    const dropped = this.#history
      .filter(({ second }) => second < now && now - second <= retryAfterSeconds)
      .reduce((sum, { drops }) => sum + drops, 0);
    if (now - this.#raisedSecond >= retryAfterSeconds && dropped >= 3 * retryAfterSeconds) {
      this.retryAfterSeconds = Math.min(2 * retryAfterSeconds, MAX_RETRY_SECONDS);
      this.#raisedSecond = now;
    } else if (dropped < retryAfterSeconds && retryAfterSeconds > 1) {
      this.retryAfterSeconds -= 1;
    }
  }
}

/** Says how many seconds clients of a priority level should stay away, by what was dropped of it lately: 1 to 32. */
export class RetryAfter {
  readonly #levels = new Map<string, LevelDrops>();
  readonly #now: () => number;

  /** `now`: milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a request that was dropped; returns after how many seconds its client should come back. */
  recordDrop(level: string): number {
    let drops = this.#levels.get(level);
    if (drops === undefined) {
      drops = new LevelDrops();
      this.#levels.set(level, drops);
    }
    drops.record(Math.floor(this.#now() / 1000));
    return drops.retryAfterSeconds;
  }

  /** Gives up what is known of levels that are gone. */
  keepOnly(levels: ReadonlySet<string>): void {
    for (const level of this.#levels.keys()) if (!levels.has(level)) this.#levels.delete(level);
  }
}
