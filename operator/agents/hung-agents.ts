import { readElapsed, type Clock } from '../../platform/process/clock.ts';

/** How long it is not waited for again. */
const spareMillis = 5_000;

/** Agents that were waited for in vain a moment ago, so that not everybody who lists waits for them again. */
export class HungAgents {
  readonly #clock: Clock;
  /** Until when they are spared, by node. */
  readonly #untilMillis = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called when the agent of a node did not answer in its time. */
  note(nodeName: string): void {
    this.#untilMillis.set(nodeName, readElapsed(this.#clock) + spareMillis);
  }

  /** Whether the agent of a node is not to be asked now. */
  has(nodeName: string): boolean {
    const untilMillis = this.#untilMillis.get(nodeName);
    if (untilMillis === undefined) return false;
    if (untilMillis > readElapsed(this.#clock)) return true;
    this.#untilMillis.delete(nodeName);
    return false;
  }
}
