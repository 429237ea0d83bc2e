import type { DifferentialCase } from '../differential-case.ts';
import { limitRangeCases } from './limit-range.ts';

/** Every hand-chosen case. */
export const allCases: readonly DifferentialCase[] = [...limitRangeCases];
