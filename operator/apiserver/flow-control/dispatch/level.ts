import {
  planConcurrencyLimits,
  type ConcurrencyLimits,
} from '../../../../kinds/flowcontrol/priority-level-configuration/plan-concurrency-limits.ts';
import { planCurrentLimits } from '../../../../kinds/flowcontrol/priority-level-configuration/plan-current-limits.ts';
import type { PriorityLevelConfiguration } from '../../../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import {
  noSeatDemand,
  updateSeatDemand,
  type SeatDemand,
} from '../../../../kinds/flowcontrol/priority-level-configuration/seat-demand.ts';
import { QueueSet, type Admission, type SharedParts } from './queue-set.ts';

const noLimits: ConcurrencyLimits = {
  ...{ nominal: 0, lendable: 0, borrowing: 0, min: 0, max: 0, initial: 0 },
  maxSeatsPerRequest: undefined,
};

/** A level in force: what is prescribed, the seats that it has, what it wants, and its requests. */
export class Level<Details> {
  readonly name: string;
  object: PriorityLevelConfiguration;
  limits: ConcurrencyLimits = noLimits;
  /** Seats that it has now. */
  current = 0;
  /** Seats that it was meant to have when they were divided last; undefined when it is exempt. */
  target: number | undefined = undefined;
  demand: SeatDemand = noSeatDemand;
  /** Whether it is given up, and only stays until its requests are over. */
  isQuiescing = false;
  readonly requests: QueueSet<Details>;

  /** A level without seats, until it is assigned some. */
  constructor(name: string, object: PriorityLevelConfiguration, parts: SharedParts<Details>) {
    this.name = name;
    this.object = object;
    this.requests = new QueueSet(parts, this.#makeAdmission(1));
  }

  get isExempt(): boolean {
    return this.object.spec.type === 'Exempt';
  }

  /** Its demand, and at least what it wants just now, which its last period does not tell. */
  get presentDemand(): SeatDemand {
    const { seatsInUse, seatsWaiting } = this.requests;
    const highWatermark = Math.max(this.demand.highWatermark, seatsInUse + seatsWaiting);
    return { ...this.demand, highWatermark };
  }

  /** Adds what was wanted since the last time to what is known of its demand. */
  measureDemand(): void {
    this.demand = updateSeatDemand(this.demand, this.requests.takeDemand());
  }

  /** Lets its requests have the seats that it has now. `idleDenominator` stands for the seats of a level without any, in ratios. */
  applySeats(idleDenominator: number): void {
    this.requests.configure(this.#makeAdmission(idleDenominator));
  }

  #makeAdmission(idleDenominator: number): Admission {
    return {
      isExempt: this.isExempt,
      queuing: this.object.spec.limited?.limitResponse.queuing,
      seatLimit: this.current,
      seatDenominator: this.current > 0 ? this.current : idleDenominator,
    };
  }
}

/** Divides the seats of the server among levels by their shares. In place. */
export function assignLimits<Details>(levels: readonly Level<Details>[], totalSeats: number): void {
  const limits = planConcurrencyLimits(
    levels.map(({ object }) => object),
    totalSeats,
  );
  for (const [position, level] of levels.entries()) {
    const isNew = level.limits === noLimits;
    level.limits = limits[position] ?? level.limits;
    if (isNew) level.current = level.limits.initial;
  }
}

/** Lends and borrows seats among levels by what they are known to want and want just now; returns the fair fraction. In place. */
export function lendSeats<Details>(levels: readonly Level<Details>[], totalSeats: number): number {
  const { levels: currents, fairFraction } = planCurrentLimits(
    levels.map(({ isExempt, limits, current, presentDemand: demand }) => ({ isExempt, limits, current, demand })),
  );
  for (const [position, level] of levels.entries()) {
    const { current, target } = currents[position] ?? level;
    level.current = current;
    level.target = target;
  }
  const idleDenominator = Math.max(1, Math.round(totalSeats / 10));
  for (const level of levels) level.applySeats(idleDenominator);
  return fairFraction;
}
