import { deriveSchema } from '../../derive-schema.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, column, nameColumn } from '../../printer-columns.ts';
import { flowSchemaCrd } from './crd.ts';
import { flowSchemaSchema } from './schema.ts';
import type { FlowSchema } from './schema.ts';
import { flowSchemaStrategy } from './strategy.ts';

/** FlowSchema: a group of flows. */
export const flowSchemaKind: KindDefinition<FlowSchema> = {
  kind: 'FlowSchema',
  groupTemplate: 'flowcontrol.apiserver.{domain}',
  version: 'v1',
  plural: 'flowschemas',
  singular: 'flowschema',
  shortNames: [],
  categories: [],
  namespaced: false,
  schema: deriveSchema(flowSchemaSchema),
  strategy: flowSchemaStrategy,
  crd: flowSchemaCrd,
  columns: [
    nameColumn,
    column('PriorityLevel', 'string', 'Priority level of the requests.'),
    column('MatchingPrecedence', 'string', 'The least number among the matching schemas wins.'),
    column('DistinguisherMethod', 'string', 'What tells flows apart.'),
    ageColumn,
    column('MissingPL', 'string', 'Whether the priority level cannot be resolved.'),
  ],
  printRow: ({ metadata, spec, status }, nowMillis) => [
    metadata.name ?? '',
    spec.priorityLevelConfiguration.name,
    spec.matchingPrecedence,
    spec.distinguisherMethod?.type ?? '<none>',
    formatAge(metadata.creationTimestamp, nowMillis),
    (status.conditions ?? []).find(({ type }) => type === 'Dangling')?.status ?? '?',
  ],
  description: 'Groups requests into flows of one priority level.',
};
