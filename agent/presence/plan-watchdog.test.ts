import { describe, expect, it } from 'vitest';
import { planWatchdog } from './plan-watchdog.ts';

describe('the watchdog of a service manager', () => {
  it.for([
    ['15000000', undefined, 7_500],
    ['1000000', undefined, 500],
    ['3000001', undefined, 1_500.0005],
    ['15000000', '42', 7_500],
    ['15000000', '', 7_500],
  ] as const)('of %s µs for process %s is told every %s ms [Limits#16]', ([micros, watched, intervalMillis]) => {
    const environment = { WATCHDOG_USEC: micros, ...(watched === undefined ? {} : { WATCHDOG_PID: watched }) };
    expect(planWatchdog(environment, 42)).toEqual({ isEnabled: true, intervalMillis });
  });

  it.for([
    ['unset', {}],
    ['empty', { WATCHDOG_USEC: '' }],
    ['0', { WATCHDOG_USEC: '0' }],
    ["another process's", { WATCHDOG_USEC: '15000000', WATCHDOG_PID: '43' }],
  ] as const)('that is %s is off [Limits#16]', ([, environment]) => {
    expect(planWatchdog(environment, 42)).toEqual({ isEnabled: false });
  });

  it.for([
    ['999999', undefined, 'configure watchdog timeout too small: 999.999ms'],
    ['-1', undefined, 'configure watchdog: error WATCHDOG_USEC must be a positive number'],
    [
      'soon',
      undefined,
      'configure watchdog: error converting WATCHDOG_USEC: strconv.Atoi: parsing "soon": invalid syntax',
    ],
    ['15000000', 'me', 'configure watchdog: error converting WATCHDOG_PID: strconv.Atoi: parsing "me": invalid syntax'],
  ] as const)('of %s µs for process %s is refused: %s [Limits#16]', ([micros, watched, error]) => {
    const environment = { WATCHDOG_USEC: micros, ...(watched === undefined ? {} : { WATCHDOG_PID: watched }) };
    expect(planWatchdog(environment, 42)).toEqual({ error });
  });
});
