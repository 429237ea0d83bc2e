import type { Logger } from './logger.ts';
import { StartError } from './start-error.ts';

/** System errors that come of a flag or of the place that it names. */
const mendableCodes: ReadonlySet<string> = new Set([
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'EACCES',
  'EEXIST',
  'ENOENT',
  'ENOTDIR',
  'EPERM',
  'EROFS',
]);

/** Tells on standard error what the person who started a program can mend, without a stack trace; anything else is logged whole, as `message`. */
export function explainStartFailure(error: unknown, logger: Logger, message: string): void {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof StartError || mendableCodes.has(code ?? '')) {
    process.stderr.write(`${(error as Error).message}\n`);
  } else {
    logger.fatal({ err: error }, message);
  }
}
