const SLICE_MILLIS = 8;

/** Those who have given way, in the order in which they did. */
const waiting: (() => void)[] = [];

function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeOne);
}

/** Resolves when everything else has had a turn. One resumes a turn: together they must not hold the event loop any longer than alone. */
function giveWay(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeOne);
  });
}

/** Keeps a long computation from holding the event loop: call `pause` between its steps. */
export class EventLoopYield {
  #sliceStart = performance.now();

  /** Whether the time slice is over: where steps are short, to be asked before `pause`, which takes a turn of the queue in any case. */
  isDue(): boolean {
    return performance.now() - this.#sliceStart >= SLICE_MILLIS;
  }

  /** Returns at once while the time slice lasts; otherwise lets everything else have a turn. */
  async pause(): Promise<void> {
    if (!this.isDue()) return;
    await giveWay();
    this.#sliceStart = performance.now();
  }
}

/** Keeps many short works, each of which may wait for others or not, from holding the event loop: call `pause` before each. */
export class TurnYield {
  #turnStart: number | undefined;

  /** Returns at once while the works of this turn of the event loop have not taken their time slice; otherwise lets everything else have a turn. */
  async pause(): Promise<void> {
    if (this.isDue()) await giveWay();
  }

  /** Whether the works of this turn have taken their time slice: to be asked before `pause`, which takes a turn of the queue in any case. */
  isDue(): boolean {
    const now = performance.now();
    if (this.#turnStart !== undefined) return now - this.#turnStart >= SLICE_MILLIS;
    this.#turnStart = now;
    setImmediate(() => (this.#turnStart = undefined));
    return false;
  }
}
