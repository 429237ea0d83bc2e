/** How many seats a level wanted over one period, from waiting and executing requests. */
export interface ObservedDemand {
  /** Length of the period in milliseconds; 0: nothing was observed but `max`. */
  readonly durationMillis: number;
  /** Over time. */
  readonly average: number;
  /** Standard deviation over time; NaN counts as 0. */
  readonly deviation: number;
  readonly max: number;
}

/** What is known of a level's demand; seats. */
export interface SeatDemand {
  readonly average: number;
  readonly deviation: number;
  /** The most that was wanted at once in the last period. */
  readonly highWatermark: number;
  /** Follows a rise of average and deviation at once, and a fall slowly. */
  readonly smoothed: number;
}

/** The demand of a level that nothing was observed of. */
export const noSeatDemand: SeatDemand = { average: 0, deviation: 0, highWatermark: 0, smoothed: 0 };

/** Halves what is smoothed in five minutes of periods of ten seconds. */
const smoothingCoefficient = 0.977;
/** The rest, without the rounding error of a subtraction. */
const freshCoefficient = 0.023;

/** The demand after one more period. */
export function updateSeatDemand(known: SeatDemand, observed: ObservedDemand): SeatDemand {
  const highWatermark = Math.round(observed.max);
  if (observed.durationMillis <= 0) return { ...known, highWatermark };
  const deviation = Number.isNaN(observed.deviation) ? 0 : observed.deviation;
  const { average } = observed;
  const envelope = average + deviation;
  const smoothed = Math.max(envelope, smoothingCoefficient * known.smoothed + freshCoefficient * envelope);
  return { average, deviation, highWatermark, smoothed };
}
