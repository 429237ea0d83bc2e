const MAX_WAIT_MILLIS = 60_000;

/**
 * How long a request may wait in a queue from its arrival, in milliseconds: a quarter of the time that it has in all, at most a minute.
 * `requestMillis`: from its arrival to its deadline; undefined without one, then a quarter of `defaultMillis`, the server's own bound.
 */
export function planWaitLimitMillis(requestMillis: number | undefined, defaultMillis: number): number {
  return Math.min((requestMillis ?? defaultMillis) / 4, MAX_WAIT_MILLIS);
}
