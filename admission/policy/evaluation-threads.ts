import { availableParallelism } from 'node:os';
import { parseApiVersion } from '../../core/meta/resource-name.ts';
import type { StructuralSchema } from '../../core/schema/structural-schema.ts';
import type {
  EvaluationOutcome,
  PolicyEvaluationInput,
} from '../../kinds/admissionregistration/policy/evaluate-policy.ts';
import type { KindName } from '../../kinds/admissionregistration/policy/policy-request.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { ThreadPool, ThreadPoolRefusal } from '../../platform/threads/thread-pool.ts';
import type { EvaluationTask } from './evaluation-task.ts';
import type { DecideOptions } from './policy-services.ts';

/** For requests that come without a deadline. */
const longestMillis = 30_000;

/** What the threads are told. */
export interface EvaluationThreadsOptions {
  readonly domain: string;
  readonly clock: Clock;
  /** The schema of a kind that users defined, `undefined` for every other one; absent: there are none. */
  readonly findDefinedSchema?: (kind: KindName) => StructuralSchema | undefined;
}

function listNamedKinds({ matched, policy }: PolicyEvaluationInput): readonly KindName[] {
  const { apiVersion = '', kind = '' } = policy.spec.paramKind ?? {};
  const parsed = parseApiVersion(apiVersion);
  return parsed === undefined || kind === '' ? [matched.kind] : [matched.kind, { ...parsed, kind }];
}

/** Evaluates policies that take long in threads of their own: one or, with three cores or more, two, for the sake of memory. */
export class EvaluationThreads {
  readonly #domain: string;
  readonly #clock: Clock;
  readonly #findDefinedSchema: (kind: KindName) => StructuralSchema | undefined;
  readonly #pool: ThreadPool<EvaluationTask, EvaluationOutcome>;

  constructor({ domain, clock, findDefinedSchema = () => undefined }: EvaluationThreadsOptions) {
    this.#domain = domain;
    this.#clock = clock;
    this.#findDefinedSchema = findDefinedSchema;
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
    const schemas = listNamedKinds(input).flatMap((kind) => {
      const schema = this.#findDefinedSchema(kind);
      return schema === undefined ? [] : [{ kind, schema }];
    });
    const task: EvaluationTask = { input, domain: this.#domain, traces, schemas };
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
