import type { DifferentialCase } from '../differential-case.ts';
import { customResourceCases } from './custom-resources.ts';
import { definitionCases } from './definitions.ts';
import { limitRangeCases } from './limit-range.ts';
import { ruleCases } from './rules.ts';

/** Every hand-chosen case. */
export const allCases: readonly DifferentialCase[] = [
  ...ruleCases,
  ...limitRangeCases,
  ...definitionCases,
  ...customResourceCases,
];
