import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Logger } from '../../platform/process/logger.ts';

/** Tells the service manager how the program is, by sd_notify. */
export interface ServiceNotifier {
  /** Whether a service manager listens. */
  readonly isEnabled: boolean;
  /** That the program serves. */
  ready(): Promise<void>;
  /** That it ends. */
  stopping(): Promise<void>;
  /** That it is well; resolves to whether that could be told. */
  watchdog(): Promise<boolean>;
}

export interface ServiceNotifierOptions {
  /** With `NOTIFY_SOCKET` where a service manager listens. */
  readonly environment: NodeJS.ProcessEnv;
  readonly logger: Logger;
}

const run = promisify(execFile);
const sendMillis = 5_000;

/**
 * A notifier that speaks through `systemd-notify`, since Node has no datagram sockets of the unix family; without `NOTIFY_SOCKET` it does
 * nothing. Messages are sent one after the other; what cannot be sent is logged, and nothing is thrown.
 */
export function createServiceNotifier(options: ServiceNotifierOptions): ServiceNotifier {
  return new CommandNotifier(options);
}

class CommandNotifier implements ServiceNotifier {
  readonly isEnabled: boolean;
  readonly #options: ServiceNotifierOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ServiceNotifierOptions) {
    this.#options = options;
    this.isEnabled = (options.environment['NOTIFY_SOCKET'] ?? '') !== '';
  }

  async ready(): Promise<void> {
    await this.#send('READY=1');
  }

  async stopping(): Promise<void> {
    await this.#send('STOPPING=1');
  }

  watchdog(): Promise<boolean> {
    return this.#send('WATCHDOG=1');
  }

  #send(state: string): Promise<boolean> {
    if (!this.isEnabled) return Promise.resolve(false);
    const next = this.#last.then(() => this.#sendNow(state));
    this.#last = next;
    return next;
  }

  async #sendNow(state: string): Promise<boolean> {
    const { environment, logger } = this.#options;
    try {
      await run('systemd-notify', [state], { env: environment, timeout: sendMillis });
      return true;
    } catch (error) {
      logger.warn({ state, err: error }, 'the service manager could not be told');
      return false;
    }
  }
}
