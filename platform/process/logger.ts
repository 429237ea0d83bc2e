import { destination, pino } from 'pino';
import type { Logger } from 'pino';

import { formatDate } from '../../core/time/format-date.ts';

export type { Logger } from 'pino';

/** Levels that `--log-level` takes. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/**
 * The program's logger: JSON lines on standard error. Messages are constant; what varies goes into camelCase keys, an error into `err`.
 * Standard output stays free for what the program answers.
 */
export function createLogger(options: { readonly level: LogLevel; readonly program: string }): Logger {
  return pino(
    {
      level: options.level,
      base: { program: options.program },
      timestamp: () => `,"time":"${formatDate(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination({ dest: 2, sync: true }),
  );
}

/** A logger that says nothing, for tests. */
export function createSilentLogger(): Logger {
  return pino({ level: 'silent' });
}
