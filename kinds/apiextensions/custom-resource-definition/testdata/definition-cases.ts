import type { DefinitionCase } from './definition-case.ts';
import { schemaCases } from './schema-cases.ts';
import { specCases } from './spec-cases.ts';

/** Definitions, each with a name of its own. */
export const definitionCases: readonly DefinitionCase[] = [...specCases, ...schemaCases];
