import type { RegistrationWrite } from '../../../admission/registrations/plan-registrations.ts';
import type { MonotonicClock } from '../../../platform/process/monotonic-clock.ts';

const leadNanos = 500e6;
const maxLeadNanos = 2e9;

/**
 * When what judges objects may be registered after what fills them in. An API server follows the two by watches of their own: one that
 * knew of the judgement alone would refuse objects for what was not filled in.
 */
export class MutationLead {
  readonly #clock: Pick<MonotonicClock, 'nowNanos'>;
  /** The first and the last write that nothing that judges was written after. */
  #sinceNanos: number | undefined;
  #lastNanos = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<MonotonicClock, 'nowNanos'>) {
    this.#clock = clock;
  }

  /** How long a write must still wait; at most two seconds, however often more is filled in. */
  findWaitMillis({ type, action }: RegistrationWrite): number {
    if (type === 'mutating' || action === 'delete' || this.#sinceNanos === undefined) return 0;
    const dueNanos = Math.min(this.#lastNanos + leadNanos, this.#sinceNanos + maxLeadNanos);
    return Math.ceil(Math.max(0, dueNanos - this.#clock.nowNanos()) / 1e6);
  }

  /** Notes what was written. */
  note({ type, action, isLeading }: RegistrationWrite): void {
    if (type === 'validating' && action !== 'delete') {
      this.#sinceNanos = undefined;
    } else if (isLeading) {
      this.#lastNanos = this.#clock.nowNanos();
      this.#sinceNanos ??= this.#lastNanos;
    }
  }
}
