import { formatDate } from '../../../core/time/format-date.ts';

/** `2026-01-02T03:04:05.000000006Z`, without zeros at its end, as Go prints it: `nanos` after (or before) a time of milliseconds. */
export function formatNanoTime(epochMillis: number, nanos: number): string {
  // Nanoseconds since the epoch have no exact number.
  const total = BigInt(Math.round(epochMillis * 1e3)) * 1000n + BigInt(Math.round(nanos));
  const millis = total / 1_000_000n;
  const rest = String(total % 1_000_000n).padStart(6, '0');
  const [whole = '', fraction = ''] = formatDate(Number(millis)).slice(0, -1).split('.');
  const digits = `${fraction}${rest}`.replace(/0+$/, '');
  return `${whole}${digits === '' ? '' : `.${digits}`}Z`;
}
