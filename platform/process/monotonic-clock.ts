import { systemClock, type Clock } from './clock.ts';

/** Time that never goes back, whatever is done to the machine's clock: for durations and deadlines. */
export interface MonotonicClock extends Pick<Clock, 'schedule'> {
  /** Whole nanoseconds since some moment. */
  nowNanos(): number;
}

/** The time since the process began. */
export const systemMonotonicClock: MonotonicClock = {
  nowNanos: () => Math.round(performance.now() * 1e6),
  schedule: (delayMillis, callback) => systemClock.schedule(delayMillis, callback),
};
