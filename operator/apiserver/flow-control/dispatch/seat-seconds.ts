/**
 * Work is measured in whole hundred-millionths of a seat-second, as Kubernetes does, so that sums are exact.
 */
export const SEAT_SECOND = 1e8;

const NANOS_PER_UNIT = 10;

/** The work of `seats` over a time; a fraction is rounded, half away from zero. Both may be fractions, `nanos` may be negative. */
export function measureWork(seats: number, nanos: number): number {
  const work = (seats * nanos) / NANOS_PER_UNIT;
  return work < 0 ? -Math.round(-work) : Math.round(work);
}

/** How many milliseconds it takes to do the work on so many seats. */
export function spreadWork(work: number, seats: number): number {
  return Math.trunc((work / seats) * NANOS_PER_UNIT) / 1e6;
}

/** Work as Kubernetes prints it: seat-seconds with eight digits and `ss`. */
export function showSeatSeconds(work: number): string {
  const size = Math.abs(work);
  const fraction = String(size % SEAT_SECOND).padStart(8, '0');
  return `${work < 0 ? '-' : ''}${Math.floor(size / SEAT_SECOND)}.${fraction}ss`;
}
