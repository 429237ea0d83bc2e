import { everyRequest, groupSubject } from './rule-parts.ts';
import type { FlowSchemaSpec } from './schema.ts';

/** The flow schemas that every server has, by name: their specs are fixed. */
export const mandatoryFlowSchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map<string, FlowSchemaSpec>([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: [{ subjects: [groupSubject('system:masters')], ...everyRequest }],
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        { subjects: [groupSubject('system:unauthenticated'), groupSubject('system:authenticated')], ...everyRequest },
      ],
    },
  ],
]);
