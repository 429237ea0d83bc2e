import type { DefinitionCase } from './definition-case.ts';
import { defaultCases } from './default-cases.ts';
import { ruleCases } from './rule-cases.ts';
import { schemaCases } from './schema-cases.ts';
import { specCases } from './spec-cases.ts';

/** Definitions, each with a name of its own. */
export const definitionCases: readonly DefinitionCase[] = [
  ...specCases,
  ...schemaCases,
  ...ruleCases,
  ...defaultCases,
];
