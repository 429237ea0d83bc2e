import { writeFileSync } from 'node:fs';

import type { Reporter } from 'vitest/node';

/** Names the file that the count is written to. */
export const unhandledErrorsFileVariable = 'BAILIWICK_UNHANDLED_ERRORS_FILE';

/** Writes how many errors no test caught, which vitest's JSON report leaves out. Vitest wants it as the default export. */
export default class UnhandledErrorsReporter implements Reporter {
  onTestRunEnd(_modules: unknown, unhandledErrors: readonly unknown[]): void {
    const file = process.env[unhandledErrorsFileVariable];
    if (file !== undefined) writeFileSync(file, String(unhandledErrors.length));
  }
}
