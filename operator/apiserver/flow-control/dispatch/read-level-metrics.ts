import type { ConcurrencyLimits } from '../../../../kinds/flowcontrol/priority-level-configuration/plan-concurrency-limits.ts';
import type { SeatDemand } from '../../../../kinds/flowcontrol/priority-level-configuration/seat-demand.ts';
import type { FairShares } from './fair-shares.ts';
import type { Level } from './level.ts';
import type { LevelUseReading } from './level-gauges.ts';
import type { SchemaCounters } from './schema-counters.ts';
import { SEAT_SECOND } from './seat-seconds.ts';

/** The least and the most of several; both 0 of none. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** What is counted and measured of one level. */
export interface LevelMetrics {
  readonly name: string;
  readonly limits: ConcurrencyLimits;
  /** Seats that it has now. */
  readonly currentSeats: number;
  /** Seats that it was meant to have; undefined when it is exempt. */
  readonly targetSeats: number | undefined;
  readonly demand: SeatDemand;
  readonly use: LevelUseReading;
  /** In seat-seconds per share; 0 of a level without queues. */
  readonly progress: number;
  readonly epochs: number;
  /** In seat-seconds: progress when a request of a queue was let out last, and when it would have been let out if seats could be divided. */
  readonly dispatchProgress: number | undefined;
  readonly latestStart: number | undefined;
  /** In seat-seconds: when the first requests of the shares would be let out, and the same less the work that is guessed to be going on. */
  readonly nextStart: Bounds;
  readonly nextDiscountedStart: Bounds;
  /** By name of schema. */
  readonly schemas: ReadonlyMap<string, SchemaCounters>;
}

/** What is counted and measured of all levels, by name. */
export interface FlowMetrics {
  /** Proportion of their targets that those levels got that are at no bound. */
  readonly fairFraction: number;
  readonly levels: readonly LevelMetrics[];
}

const GUESSED_UNITS_PER_SEAT = 300_000;

function findBounds<Details>(shares: FairShares<Details>, discountPerSeat: number): Bounds {
  let min = Infinity;
  let max = -Infinity;
  for (const { nextStart, seatsInUse } of shares.listWaiting()) {
    const start = nextStart - seatsInUse * discountPerSeat;
    min = Math.min(min, start);
    max = Math.max(max, start);
  }
  return min > max ? { min: 0, max: 0 } : { min: min / SEAT_SECOND, max: max / SEAT_SECOND };
}

/** All that is counted and measured of a level; the counters themselves, not copies. */
export function readLevelMetrics<Details>(level: Level<Details>): LevelMetrics {
  const { name, limits, current: currentSeats, target: targetSeats, demand, requests } = level;
  const { shares } = requests;
  const { dispatched } = shares;
  const schemas = new Map([...requests.schemas].map(([schema, { counters }]) => [schema, counters]));
  return {
    ...{ name, limits, currentSeats, targetSeats, demand, use: requests.readUse(), schemas },
    progress: shares.progress / SEAT_SECOND,
    epochs: shares.epochs,
    dispatchProgress: dispatched === undefined ? undefined : dispatched.progress / SEAT_SECOND,
    latestStart: dispatched === undefined ? undefined : dispatched.start / SEAT_SECOND,
    nextStart: findBounds(shares, 0),
    nextDiscountedStart: findBounds(shares, GUESSED_UNITS_PER_SEAT),
  };
}
