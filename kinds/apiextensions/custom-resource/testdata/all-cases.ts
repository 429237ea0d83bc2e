import type { CustomCase } from './custom-case.ts';
import { ratchetCases } from './ratchet-cases.ts';
import { ruleCases } from './rule-cases.ts';
import { valueCases } from './value-cases.ts';

/** All cases, whose answers by a real API server are in `answers.json`. */
export const allCases: readonly CustomCase[] = [...valueCases, ...ruleCases, ...ratchetCases];
