import type { Clock } from '../platform/process/clock.ts';
import type { Logger } from '../platform/process/logger.ts';
import type { Shutdown } from '../platform/process/shutdown.ts';

/** What the program lends to the parts that it starts. */
export interface ProgramParts {
  /** Where they register what must be ended. */
  readonly shutdown: Shutdown;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** An operator that is ready. */
export interface StartedService {
  /** Where the API service is reached. */
  readonly url: string;
  /** File of a kubeconfig for the person who started it; `undefined` when it acts for nobody but its clients. */
  readonly kubeconfig: string | undefined;
}
