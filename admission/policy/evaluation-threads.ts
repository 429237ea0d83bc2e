import { availableParallelism } from 'node:os';
import type {
  EvaluationOutcome,
  PolicyEvaluationInput,
} from '../../kinds/admissionregistration/policy/evaluate-policy.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { ThreadPool, ThreadPoolRefusal } from '../../platform/threads/thread-pool.ts';
import type { EvaluationTask } from './evaluation-task.ts';
import type { DecideOptions } from './policy-services.ts';

/** For requests that come without a deadline. */
const longestMillis = 30_000;

/** Evaluates policies that take long in threads of their own: one or, with three cores or more, two, for the sake of memory. */
export class EvaluationThreads {
  readonly #domain: string;
  readonly #clock: Clock;
  readonly #pool: ThreadPool<EvaluationTask, EvaluationOutcome>;

  constructor({ domain, clock }: { readonly domain: string; readonly clock: Clock }) {
    this.#domain = domain;
    this.#clock = clock;
    this.#pool = new ThreadPool({
      module: new URL('./evaluation-thread.ts', import.meta.url),
      clock,
      maxThreads: Math.max(1, Math.min(2, availableParallelism() - 1)),
      maxWaiting: 1_000,
      maxWaitingEach: 200,
      // Enough for what the budgets of an evaluation let it build.
      heapMegabytes: 512,
      idleMillis: 30_000,
    });
  }

  /** `undefined` when there was no time, or too many wait. Rejects when a thread fails. */
  async evaluate(
    input: PolicyEvaluationInput,
    { deadlineMillis, traces = false }: DecideOptions,
  ): Promise<EvaluationOutcome | undefined> {
    const task: EvaluationTask = { input, domain: this.#domain, traces };
    try {
      const endMillis = deadlineMillis ?? this.#clock.now() + longestMillis;
      // Whoever writes what takes long to judge keeps nobody else waiting for all of it.
      return await this.#pool.run(task, endMillis, input.request.user.username);
    } catch (error) {
      if (error instanceof ThreadPoolRefusal) return undefined;
      throw error;
    }
  }

  /** Ends the threads; evaluations under way have no time any more. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
