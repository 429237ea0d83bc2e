import { deriveSchema } from '../../derive-schema.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, column, nameColumn } from '../../printer-columns.ts';
import { priorityLevelConfigurationCrd } from './crd.ts';
import { priorityLevelConfigurationSchema } from './schema.ts';
import type { PriorityLevelConfiguration } from './schema.ts';
import { priorityLevelConfigurationStrategy } from './strategy.ts';

/** PriorityLevelConfiguration: one priority level of requests. */
export const priorityLevelConfigurationKind: KindDefinition<PriorityLevelConfiguration> = {
  kind: 'PriorityLevelConfiguration',
  groupTemplate: 'flowcontrol.apiserver.{domain}',
  version: 'v1',
  plural: 'prioritylevelconfigurations',
  singular: 'prioritylevelconfiguration',
  shortNames: [],
  categories: [],
  namespaced: false,
  schema: deriveSchema(priorityLevelConfigurationSchema),
  strategy: priorityLevelConfigurationStrategy,
  crd: priorityLevelConfigurationCrd,
  columns: [
    nameColumn,
    column('Type', 'string', 'Exempt or Limited.'),
    column('NominalConcurrencyShares', 'string', 'Share of the concurrency of the server.'),
    column('Queues', 'string', 'How many queues there are.'),
    column('HandSize', 'string', 'How many queues a flow may use.'),
    column('QueueLengthLimit', 'string', 'How many requests may wait in one queue.'),
    ageColumn,
  ],
  printRow: ({ metadata, spec }, nowMillis) => [
    metadata.name ?? '',
    spec.type,
    spec.limited?.nominalConcurrencyShares ?? '<none>',
    spec.limited?.limitResponse.queuing?.queues ?? '<none>',
    spec.limited?.limitResponse.queuing?.handSize ?? '<none>',
    spec.limited?.limitResponse.queuing?.queueLengthLimit ?? '<none>',
    formatAge(metadata.creationTimestamp, nowMillis),
  ],
  description: 'Configures one priority level of requests.',
};
