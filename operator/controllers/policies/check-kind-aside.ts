import { setImmediate } from 'node:timers/promises';
import { loadExpressions } from '../../../core/cel/load-expressions.ts';
import type { DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { isLongSource } from '../../../kinds/admissionregistration/policy/measure-source.ts';
import type {
  CheckedKind,
  KindWarnings,
} from '../../../kinds/admissionregistration/validating-admission-policy/plan-type-checking.ts';
import type { ValidatingAdmissionPolicySpec } from '../../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { systemClock } from '../../../platform/process/clock.ts';
import { ThreadPool } from '../../../platform/threads/thread-pool.ts';
import type { TypeCheckingTask } from './type-checking-task.ts';

/** The longest check of a policy against one kind. */
const longestMillis = 60_000;

const threads = new ThreadPool<TypeCheckingTask, KindWarnings>({
  module: new URL('./type-checking-thread.ts', import.meta.url),
  clock: systemClock,
  maxThreads: 1,
  // A controller checks a few policies at a time.
  maxWaiting: 100,
  heapMegabytes: 512,
  idleMillis: 30_000,
});

/** Checks a policy against a kind without holding up anything else. Rejects when a long policy takes more than a minute. */
export async function checkKindAside(
  spec: ValidatingAdmissionPolicySpec,
  kind: CheckedKind,
  params: DeclaredType | undefined,
): Promise<KindWarnings> {
  if (isLongSource(spec)) return threads.run({ spec, kind, params }, systemClock.now() + longestMillis);
  // What reads expressions is not loaded where there are no policies.
  await loadExpressions();
  const { checkKind } = await import('../../../kinds/admissionregistration/validating-admission-policy/check-kind.ts');
  return runInTurns(checkKind(spec, kind, params));
}

/** Lets others have their turn after every step: there may be very many. */
async function runInTurns<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await setImmediate();
  }
}
