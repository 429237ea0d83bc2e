import type { ScaleAnswer } from '../../kinds/policy/pod-disruption-budget/count-expected-pods.ts';
import type { Clock } from '../process/clock.ts';

/** An answer, and when to ask again because it may have been overtaken, in milliseconds since the epoch; `undefined`: it was not. */
export interface RememberedScale {
  readonly answer: ScaleAnswer;
  readonly againAtMillis: number | undefined;
}

interface Reading {
  readonly answer: Promise<ScaleAnswer>;
  readonly readMillis: number;
  /** How many changes of the namespace were known when it was read. */
  readonly changes: number;
}

interface NamespaceScales {
  readonly readings: Map<string, Reading>;
  changes: number;
  usedMillis: number;
}

/** How long an answer counts that was read after everything that is known to have changed, in milliseconds. */
const currentMillis = 10_000;
/** How long one counts that was read before, in milliseconds. */
const overtakenMillis = 1_000;
/** Of many controllers of a namespace each is asked more seldom: the time for each one's request on average, in milliseconds. */
const millisPerRead = 5;
/** A namespace that asks for nothing for so long is forgotten, in milliseconds. */
const unusedMillis = 120_000;

/**
 * What controllers were found to want, for a short while, so that budgets with the same pods ask once: a pod's change does not ask
 * for every controller again and again.
 */
export class RememberedScales {
  readonly #clock: Clock;
  readonly #namespaces = new Map<string, NamespaceScales>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes that pods or budgets of a namespace have changed, so that what was read before may be overtaken. */
  noteChange(namespace: string): void {
    const scales = this.#namespaces.get(namespace);
    if (scales !== undefined) scales.changes += 1;
  }

  /** The answer that is known for `key`, or that `ask` gives. Throws what that throws, which is not remembered. */
  async read(namespace: string, key: string, ask: () => Promise<ScaleAnswer>): Promise<RememberedScale> {
    const nowMillis = this.#clock.now();
    const scales = this.#enter(namespace, nowMillis);
    const { readings, changes } = scales;
    const keptMillis = Math.max(overtakenMillis, readings.size * millisPerRead);
    const known = readings.get(key);
    if (known !== undefined) {
      const isCurrent = known.changes === changes;
      const endMillis = known.readMillis + (isCurrent ? Math.max(currentMillis, keptMillis) : keptMillis);
      if (nowMillis < endMillis) {
        return { answer: await known.answer, againAtMillis: isCurrent ? undefined : endMillis };
      }
    }
    const reading: Reading = { answer: ask(), readMillis: nowMillis, changes };
    readings.delete(key);
    readings.set(key, reading);
    this.#forgetOld(scales, nowMillis - Math.max(currentMillis, keptMillis));
    try {
      return { answer: await reading.answer, againAtMillis: undefined };
    } catch (error) {
      if (readings.get(key) === reading) readings.delete(key);
      throw error;
    }
  }

  /** What is known of a namespace; namespaces stay in the order in which they were used. */
  #enter(namespace: string, nowMillis: number): NamespaceScales {
    const scales = this.#namespaces.get(namespace) ?? { readings: new Map(), changes: 0, usedMillis: nowMillis };
    scales.usedMillis = nowMillis;
    this.#namespaces.delete(namespace);
    this.#namespaces.set(namespace, scales);
    for (const [other, { usedMillis }] of this.#namespaces) {
      if (usedMillis >= nowMillis - unusedMillis) break;
      this.#namespaces.delete(other);
    }
    return scales;
  }

  #forgetOld({ readings }: NamespaceScales, beforeMillis: number): void {
    for (const [key, { readMillis }] of readings) {
      if (readMillis >= beforeMillis) return;
      readings.delete(key);
    }
  }
}
