const SECOND = 1_000_000_000n;

function withFraction(nanos: bigint, unit: bigint): string {
  const digits = unit.toString().length - 1;
  const fraction = (nanos % unit).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? String(nanos / unit) : `${nanos / unit}.${fraction}`;
}

/** Milliseconds, whole nanoseconds of them, as Go prints a duration: `2m0s`, `1.5s`, `100ms`, `0s`. */
export function formatGoDuration(millis: number): string {
  const sign = millis < 0 ? '-' : '';
  const whole = Math.floor(Math.abs(millis));
  const nanos = BigInt(whole) * 1_000_000n + BigInt(Math.round((Math.abs(millis) - whole) * 1e6));
  if (nanos === 0n) return '0s';
  if (nanos < 1_000n) return `${sign}${nanos}ns`;
  if (nanos < 1_000_000n) return `${sign}${withFraction(nanos, 1_000n)}µs`;
  if (nanos < SECOND) return `${sign}${withFraction(nanos, 1_000_000n)}ms`;
  const minutes = nanos / (60n * SECOND);
  const seconds = withFraction(nanos % (60n * SECOND), SECOND);
  if (minutes === 0n) return `${sign}${seconds}s`;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}s` : `${sign}${hours}h${minutes % 60n}m${seconds}s`;
}
