import type { ObservedDemand } from '../../../../kinds/flowcontrol/priority-level-configuration/seat-demand.ts';
import { DemandIntegrator } from './demand-integrator.ts';
import { TimingHistogram, type HistogramReading } from './histogram.ts';

const SEATS_BOUNDS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const REQUESTS_BOUNDS = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const DEMAND_BOUNDS = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];

/** How much of a level is in use at one moment. */
export interface LevelUse {
  readonly waiting: number;
  readonly executing: number;
  readonly seatsInUse: number;
  readonly seatsWaiting: number;
}

/** How long how much of a level was in use, in nanoseconds by ratio. */
export interface LevelUseReading {
  /** Seats in use to seats that the level has. */
  readonly seatUtilization: HistogramReading;
  /** Requests that wait to places in the queues. */
  readonly waitingUtilization: HistogramReading;
  /** Requests that execute to seats that the level has. */
  readonly executingUtilization: HistogramReading;
  /** Seats that are wanted to seats that the level has. */
  readonly demand: HistogramReading;
}

/** Measures over time how much of a level is used and wanted. */
export class LevelGauges {
  readonly #seats: TimingHistogram;
  readonly #waiting: TimingHistogram;
  readonly #executing: TimingHistogram;
  readonly #demand: TimingHistogram;
  readonly #integrator: DemandIntegrator;
  #places = 1;
  #seatLimit = 1;

  constructor(nowNanos: number) {
    this.#seats = new TimingHistogram(SEATS_BOUNDS, nowNanos);
    this.#waiting = new TimingHistogram(REQUESTS_BOUNDS, nowNanos);
    this.#executing = new TimingHistogram(REQUESTS_BOUNDS, nowNanos);
    this.#demand = new TimingHistogram(DEMAND_BOUNDS, nowNanos);
    this.#integrator = new DemandIntegrator(nowNanos);
  }

  /** What the ratios refer to from now on; neither is 0. */
  setLimits(limits: { readonly places: number; readonly seats: number }): void {
    this.#places = limits.places;
    this.#seatLimit = limits.seats;
  }

  /** What is in use from now on. */
  set({ waiting, executing, seatsInUse, seatsWaiting }: LevelUse, nowNanos: number): void {
    this.#seats.set(seatsInUse / this.#seatLimit, nowNanos);
    this.#waiting.set(waiting / this.#places, nowNanos);
    this.#executing.set(executing / this.#seatLimit, nowNanos);
    this.#demand.set((seatsInUse + seatsWaiting) / this.#seatLimit, nowNanos);
    this.#integrator.set(seatsInUse + seatsWaiting, nowNanos);
  }

  /** What was wanted since the last time this was asked. */
  takeDemand(nowNanos: number): ObservedDemand {
    return this.#integrator.takePeriod(nowNanos);
  }

  /** What was measured until now. */
  read(nowNanos: number): LevelUseReading {
    return {
      seatUtilization: this.#seats.read(nowNanos),
      waitingUtilization: this.#waiting.read(nowNanos),
      executingUtilization: this.#executing.read(nowNanos),
      demand: this.#demand.read(nowNanos),
    };
  }
}
