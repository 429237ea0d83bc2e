/**
 * Nodes of one zone that wait for the taint that drives their pods off, first come, first served, at a rate: a token comes every 1/rate
 * seconds, and one at most is kept. A node that had its turn is not taken in again by `add` before it is removed. Times are in milliseconds.
 */
export class ZoneQueue {
  readonly #waiting = new Set<string>();
  readonly #served = new Set<string>();
  #rate: number;
  #fullAtMillis = -Infinity;

  /** `rate`: nodes a second, 0 for none. */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Takes a node in, unless it waits or had its turn. */
  add(name: string): void {
    if (!this.#served.has(name)) this.#waiting.add(name);
  }

  /** Takes a node in, unless it waits, though it had its turn. */
  addAgain(name: string): void {
    this.#served.delete(name);
    this.#waiting.add(name);
  }

  /** Notes a node that had its turn in another zone. */
  addServed(name: string): void {
    this.#served.add(name);
  }

  /** Forgets a node, so that it can be taken in anew; returns whether it had its turn. */
  remove(name: string): boolean {
    this.#waiting.delete(name);
    return this.#served.delete(name);
  }

  /** The node whose turn it is, which takes the token; `undefined` when nobody waits or the rate forbids it. */
  take(nowMillis: number): string | undefined {
    const [name] = this.#waiting;
    if (name === undefined || !this.#hasToken(nowMillis)) return undefined;
    this.#fullAtMillis = nowMillis + 1_000 / this.#rate;
    this.#waiting.delete(name);
    this.#served.add(name);
    return name;
  }

  /** When the next node can be taken, if any waits and the rate is not 0. */
  findNextMillis(nowMillis: number): number | undefined {
    return this.#waiting.size === 0 || this.#rate <= 0 ? undefined : Math.max(nowMillis, this.#fullAtMillis);
  }

  /** Changes the rate; a token that is not there yet is waited for anew. */
  setRate(rate: number, nowMillis: number): void {
    if (rate === this.#rate) return;
    const hadToken = this.#hasToken(nowMillis);
    this.#rate = rate;
    this.#fullAtMillis = hadToken || rate <= 0 ? nowMillis : nowMillis + 1_000 / rate;
  }

  /** Whether nobody waits and a new queue would not let anybody through any sooner. */
  isAtRest(nowMillis: number): boolean {
    return this.#waiting.size === 0 && (this.#rate <= 0 || this.#hasToken(nowMillis));
  }

  #hasToken(nowMillis: number): boolean {
    return this.#rate > 0 && nowMillis >= this.#fullAtMillis;
  }
}
