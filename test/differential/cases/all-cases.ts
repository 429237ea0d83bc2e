import type { DifferentialCase } from '../differential-case.ts';
import { apiCases } from './api-cases.ts';
import { customResourceCases } from './custom-resources.ts';
import { definitionCases } from './definitions.ts';
import { limitRangeCases } from './limit-range.ts';
import { ruleCases } from './rules.ts';

/** Every hand-chosen case. */
export const allCases: readonly DifferentialCase[] = [
  ...apiCases,
  ...ruleCases,
  ...limitRangeCases,
  ...definitionCases,
  ...customResourceCases,
];
