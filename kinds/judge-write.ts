import type { FieldError } from '../core/errors/field-error.ts';
import { limitFaults } from '../core/errors/limit-faults.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import type { KindStrategy, StrategyContext, WriteStrategy } from './kind-definition.ts';

/** Thrown by a judgement that turned out to take more than some tens of milliseconds where it may not. */
export class JudgementTakesLong extends Error {
  override readonly name = 'JudgementTakesLong';
}

/** What a kind says to a write: its faults, or else its warnings. */
export interface WriteJudgement {
  readonly faults: readonly FieldError[];
  /** Warnings of a refused write too; absent: there are none. */
  readonly excused?: readonly string[];
  readonly warnings: readonly string[];
}

/** Judges a new object that the strategy has prepared. */
export function judgeCreate<T extends KubeObject>(
  strategy: KindStrategy<T>,
  object: T,
  context: StrategyContext,
): WriteJudgement {
  const faults = limitFaults(strategy.validateCreate(object, context));
  return { faults, warnings: faults.length > 0 ? [] : (strategy.warnOnCreate?.(object, context) ?? []) };
}

/** Judges a changed object that the strategy has prepared. */
export function judgeUpdate<T extends KubeObject>(
  strategy: WriteStrategy<T>,
  object: T,
  old: T,
  context: StrategyContext,
): WriteJudgement {
  const faults = limitFaults(strategy.validateUpdate(object, old, context));
  const excused = strategy.listExcused?.(object) ?? [];
  const warnings = faults.length > 0 ? [] : (strategy.warnOnUpdate?.(object, old, context) ?? []);
  return { faults, ...(excused.length === 0 ? {} : { excused }), warnings };
}
