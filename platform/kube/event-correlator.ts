/** One occurrence to tell of; times in milliseconds since the epoch. */
export interface EventOccurrence {
  /** Tells the object it is about from every other. */
  readonly objectKey: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly atMillis: number;
}

/** What to write for an occurrence: a new Event, or a greater count of one that was written under `name`. */
export interface EventWrite {
  readonly name: string | undefined;
  readonly count: number;
  readonly firstMillis: number;
  readonly message: string;
  /** Under what `noteName` remembers the Event's name. */
  readonly key: string;
}

interface Series {
  name: string | undefined;
  count: number;
  readonly firstMillis: number;
}

interface Group {
  readonly messages: Set<string>;
  lastMillis: number;
}

interface Bucket {
  tokens: number;
  filledMillis: number;
}

// client-go's figures.
const maxRemembered = 4_096;
const maxMessagesOfGroup = 10;
const groupMillis = 600_000;
const burst = 25;
const refillMillis = 300_000;

/** A map that forgets what was used longest ago. */
class RecentMap<V> {
  readonly #entries = new Map<string, V>();

  use(key: string, make: () => V): V {
    const value = this.#entries.get(key) ?? make();
    this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= maxRemembered) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }
}

/**
 * Keeps Events few, with client-go's figures: equal ones are counted, ones that differ in their message only are combined when there are
 * many, and an object may have 25 at once and one every five minutes after that.
 */
export class EventCorrelator {
  readonly #series = new RecentMap<Series>();
  readonly #groups = new RecentMap<Group>();
  readonly #buckets = new RecentMap<Bucket>();

  /** What to write, or `undefined` when the object has had too many. */
  correlate(occurrence: EventOccurrence): EventWrite | undefined {
    const { objectKey, type, reason, atMillis } = occurrence;
    const groupKey = JSON.stringify([objectKey, type, reason]);
    const isCombined = this.#joinGroup(groupKey, occurrence);
    const key = isCombined ? groupKey : JSON.stringify([objectKey, type, reason, occurrence.message]);
    const series = this.#series.use(key, () => ({ name: undefined, count: 0, firstMillis: atMillis }));
    series.count += 1;
    if (!this.#takeToken(JSON.stringify([objectKey, type]), atMillis)) return undefined;
    const message = isCombined ? `(combined from similar events): ${occurrence.message}` : occurrence.message;
    return { name: series.name, count: series.count, firstMillis: series.firstMillis, message, key };
  }

  /** Remembers under which name a series is written; `undefined` when that Event is gone. */
  noteName(key: string, name: string | undefined): void {
    const series = this.#series.get(key);
    if (series !== undefined) series.name = name;
  }

  #joinGroup(key: string, { message, atMillis }: EventOccurrence): boolean {
    let group = this.#groups.use(key, () => ({ messages: new Set(), lastMillis: atMillis }));
    if (atMillis - group.lastMillis > groupMillis) {
      group = { messages: new Set(), lastMillis: atMillis };
      this.#groups.set(key, group);
    }
    group.lastMillis = atMillis;
    if (group.messages.has(message)) return group.messages.size >= maxMessagesOfGroup;
    if (group.messages.size >= maxMessagesOfGroup - 1) return true;
    group.messages.add(message);
    return false;
  }

  #takeToken(key: string, atMillis: number): boolean {
    const bucket = this.#buckets.use(key, () => ({ tokens: burst, filledMillis: atMillis }));
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, atMillis - bucket.filledMillis) / refillMillis);
    bucket.filledMillis = atMillis;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}
