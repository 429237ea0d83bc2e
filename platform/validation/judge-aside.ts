import { availableParallelism } from 'node:os';
import { makeServiceUnavailableError, makeTimeoutError } from '../../core/errors/make-status-error.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { JudgementTakesLong, judgeCreate, judgeUpdate, type WriteJudgement } from '../../kinds/judge-write.ts';
import type { StrategyContext } from '../../kinds/kind-definition.ts';
import type { RegisteredKind } from '../../kinds/registry.ts';
import { systemClock } from '../process/clock.ts';
import { ThreadPool, ThreadPoolRefusal } from '../threads/thread-pool.ts';
import type { ValidationTask } from './validation-task.ts';

/** For requests that come without a deadline. */
const longestMillis = 30_000;

const threads = new ThreadPool<ValidationTask, WriteJudgement>({
  module: new URL('./validation-thread.ts', import.meta.url),
  clock: systemClock,
  maxThreads: Math.max(1, Math.min(2, availableParallelism() - 1)),
  maxWaiting: 64,
  heapMegabytes: 512,
  idleMillis: 30_000,
});

/** A write to judge, prepared by the kind's strategy; none of it may change meanwhile. */
export interface AsideWrite {
  readonly object: KubeObject;
  /** Absent for a new object. */
  readonly old?: KubeObject | undefined;
  readonly context: StrategyContext;
  /** Whether only the status is written; absent: it is not. */
  readonly isStatus?: boolean;
  /** In milliseconds since the epoch; absent: half a minute from now. */
  readonly deadlineMillis?: number | undefined;
}

/** `undefined` when it takes long. */
function judgeHere(
  { strategy }: RegisteredKind,
  { object, old, isStatus, context }: AsideWrite,
): WriteJudgement | undefined {
  if (strategy.takesLong?.(object) === true) return undefined;
  const update = isStatus === true ? strategy.status : strategy;
  try {
    if (old === undefined || update === undefined) return judgeCreate(strategy, object, context);
    return judgeUpdate(update, object, old, context);
  } catch (error) {
    if (error instanceof JudgementTakesLong) return undefined;
    throw error;
  }
}

/**
 * What the kind's own strategy says to a write; in a thread of its own where this takes long. Throws 503 when too many wait for a
 * thread, and 504 when the time is over.
 */
export async function judgeAside(kind: RegisteredKind, write: AsideWrite): Promise<WriteJudgement> {
  await kind.strategy.loadChecks?.();
  const judgement = judgeHere(kind, write);
  if (judgement !== undefined) return judgement;
  const { group, version, plural } = kind;
  const { object, old, isStatus, context, deadlineMillis = systemClock.now() + longestMillis } = write;
  try {
    return await threads.run(
      { definition: kind.definedBy, group, version, plural, object, old, isStatus, context },
      deadlineMillis,
    );
  } catch (error) {
    if (!(error instanceof ThreadPoolRefusal)) throw error;
    if (error.reason === 'deadline') throw makeTimeoutError('the object could not be validated in time', 1);
    throw makeServiceUnavailableError('too many objects wait to be validated, please try again');
  }
}
