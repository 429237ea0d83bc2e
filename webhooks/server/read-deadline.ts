/** What a host that names no timeout would wait: its own greatest. */
const defaultTimeoutMillis = 30_000;
/** So much before the host gives up, or a tenth of its patience when that is less, an answer must be on its way. */
const greatestMarginMillis = 500;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds that deciding may take, from the query `timeout=10s` of the host's call, written as Go writes durations. */
export function readDeadline(query: URLSearchParams): number {
  const text = query.get('timeout') ?? '';
  const isDuration = /^(\d{1,9}(\.\d{1,9})?(ms|s|m|h))+$/.test(text);
  let millis = 0;
  for (const [, amount, unit] of isDuration ? text.matchAll(/([\d.]+)(ms|s|m|h)/g) : []) {
    millis += Number(amount) * (units[unit ?? ''] ?? 0);
  }
  if (millis <= 0 || millis > defaultTimeoutMillis) millis = defaultTimeoutMillis;
  return millis - Math.min(greatestMarginMillis, millis / 10);
}
