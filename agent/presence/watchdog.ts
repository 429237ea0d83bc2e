import { sleep, type Clock } from '../../platform/process/clock.ts';
import type { HealthCheck } from '../../platform/process/health-check.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { StartError } from '../../platform/process/start-error.ts';
import { planWatchdog } from './plan-watchdog.ts';
import type { ServiceNotifier } from './service-notifier.ts';

/** What a watchdog is kept quiet with. */
export interface WatchdogOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** Of this process: a service manager may mean another. */
  readonly processId: number;
  /** The feature gate `SystemdWatchdog`. */
  readonly isEnabled: boolean;
  readonly notifier: ServiceNotifier;
  /** All must be well for the service manager to hear of it. */
  readonly checks: readonly HealthCheck[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A watchdog that is told. */
export interface Watchdog {
  /** Ends it; what is being sent is waited for. */
  stop(): Promise<void>;
}

const retryMillis = [1_000, 2_000];

/**
 * Tells the service manager's watchdog that the program is well, at once and then at half of the time it allows; a program that is not
 * well says nothing, and is restarted in the end. `undefined` where there is no watchdog. Throws a StartError for a time that cannot be kept.
 */
export function startWatchdog(options: WatchdogOptions): Watchdog | undefined {
  const { environment, isEnabled, logger, processId } = options;
  if (!isEnabled) return undefined;
  const plan = planWatchdog(environment, processId);
  if ('error' in plan) throw new StartError(`create health checker: ${plan.error}`);
  if (!plan.isEnabled) return undefined;
  logger.info({ intervalMillis: plan.intervalMillis }, 'tells the watchdog of the service manager');
  const controller = new AbortController();
  const done = keepTelling(options, plan.intervalMillis, controller.signal);
  return {
    async stop() {
      controller.abort();
      await done;
    },
  };
}

async function keepTelling(options: WatchdogOptions, intervalMillis: number, signal: AbortSignal): Promise<void> {
  const { clock } = options;
  let dueMillis = clock.now();
  while (!signal.aborted) {
    await tellOnce(options, signal);
    // By the time it was due, not by when it was sent: sending takes its own time, and must not add up.
    const nowMillis = clock.now();
    dueMillis = Math.max(dueMillis + intervalMillis, nowMillis);
    // A clock that was set back must not make the program silent.
    await sleep(clock, Math.min(dueMillis - nowMillis, intervalMillis), signal);
  }
}

async function findTrouble(checks: readonly HealthCheck[]): Promise<{ name: string; trouble: string } | undefined> {
  for (const { name, check } of checks) {
    const trouble = await check().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    if (trouble !== undefined) return { name, trouble };
  }
  return undefined;
}

async function tellOnce(options: WatchdogOptions, signal: AbortSignal): Promise<void> {
  const { checks, clock, logger, notifier } = options;
  const trouble = await findTrouble(checks);
  if (trouble !== undefined) {
    logger.error({ ...trouble }, 'says nothing to the watchdog of the service manager: the agent is not well');
    return;
  }
  for (const pauseMillis of [0, ...retryMillis]) {
    if (pauseMillis > 0) await sleep(clock, pauseMillis, signal);
    if (signal.aborted || (await notifier.watchdog()) || !notifier.isEnabled) return;
  }
}
