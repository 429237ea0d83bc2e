import { quoteGo } from '../../core/errors/quote-go.ts';

/** How often the service manager must hear of the program: not at all, so often, or why that cannot be. */
export type WatchdogPlan =
  | { readonly isEnabled: false }
  | { readonly isEnabled: true; readonly intervalMillis: number }
  | { readonly error: string };

const minimumMicros = 1_000_000;

function parseWhole(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

/**
 * Reads what a service manager tells a program of its watchdog (`WATCHDOG_USEC`, `WATCHDOG_PID`). The interval is half of the time after
 * which the program would be ended; unset, 0, or meant for another process is off, less than a second is refused.
 */
export function planWatchdog(environment: NodeJS.ProcessEnv, processId: number): WatchdogPlan {
  const { WATCHDOG_USEC: micros = '', WATCHDOG_PID: watched = '' } = environment;
  if (micros === '') return { isEnabled: false };
  const timeoutMicros = parseWhole(micros);
  if (timeoutMicros === undefined) {
    const cause = `strconv.Atoi: parsing ${quoteGo(micros)}: invalid syntax`;
    return { error: `configure watchdog: error converting WATCHDOG_USEC: ${cause}` };
  }
  if (timeoutMicros === 0) return { isEnabled: false };
  if (timeoutMicros < 0) return { error: 'configure watchdog: error WATCHDOG_USEC must be a positive number' };
  if (watched !== '') {
    const id = parseWhole(watched);
    if (id === undefined) {
      const cause = `strconv.Atoi: parsing ${quoteGo(watched)}: invalid syntax`;
      return { error: `configure watchdog: error converting WATCHDOG_PID: ${cause}` };
    }
    if (id !== processId) return { isEnabled: false };
  }
  if (timeoutMicros < minimumMicros) {
    return { error: `configure watchdog timeout too small: ${timeoutMicros / 1000}ms` };
  }
  return { isEnabled: true, intervalMillis: timeoutMicros / 2000 };
}
