import type { DifferentialCase } from '../differential-case.ts';
import { limitRangeCases } from './limit-range.ts';
import { ruleCases } from './rules.ts';

/** Every hand-chosen case. */
export const allCases: readonly DifferentialCase[] = [...ruleCases, ...limitRangeCases];
