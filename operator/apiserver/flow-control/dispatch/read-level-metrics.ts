import type { ConcurrencyLimits } from '../../../../kinds/flowcontrol/priority-level-configuration/plan-concurrency-limits.ts';
import type { SeatDemand } from '../../../../kinds/flowcontrol/priority-level-configuration/seat-demand.ts';
import type { FairQueues } from './fair-queues.ts';
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
  /** In seat-seconds per queue; 0 of a level without queues. */
  readonly progress: number;
  readonly epochs: number;
  /** In seat-seconds: when the first requests of the queues would be let out, and the same less the work that is guessed to be going on. */
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

function findBounds<Details>(queues: FairQueues<Details>, discountPerSeat: number): Bounds {
  let min = Infinity;
  let max = -Infinity;
  for (const { nextStart, seatsInUse } of queues.listWaiting()) {
    const start = nextStart - seatsInUse * discountPerSeat;
    min = Math.min(min, start);
    max = Math.max(max, start);
  }
  return min > max ? { min: 0, max: 0 } : { min: min / SEAT_SECOND, max: max / SEAT_SECOND };
}

/** All that is counted and measured of a level; the counters themselves, not copies. */
export function readLevelMetrics<Details>(level: Level<Details>): LevelMetrics {
  const { name, limits, current: currentSeats, target: targetSeats, demand, requests } = level;
  const { fairQueues } = requests;
  const schemas = new Map([...requests.schemas].map(([schema, { counters }]) => [schema, counters]));
  return {
    ...{ name, limits, currentSeats, targetSeats, demand, use: requests.readUse(), schemas },
    progress: fairQueues.progress / SEAT_SECOND,
    epochs: fairQueues.epochs,
    nextStart: findBounds(fairQueues, 0),
    nextDiscountedStart: findBounds(fairQueues, GUESSED_UNITS_PER_SEAT),
  };
}
