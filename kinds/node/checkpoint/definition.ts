import { deriveSchema } from '../../derive-schema.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, column, nameColumn } from '../../printer-columns.ts';
import { formatBytes } from './format-bytes.ts';
import { checkpointSchema } from './schema.ts';
import type { Checkpoint } from './schema.ts';
import { checkpointStrategy } from './strategy.ts';

/** Checkpoint: the saved state of a container, held by the agent of its node. */
export const checkpointKind: KindDefinition<Checkpoint> = {
  kind: 'Checkpoint',
  groupTemplate: 'node.{domain}',
  version: 'v1',
  plural: 'checkpoints',
  singular: 'checkpoint',
  shortNames: ['ckpt'],
  categories: [],
  namespaced: true,
  verbs: ['delete', 'get', 'list', 'patch', 'update'],
  heldBy: 'node-agents',
  subresources: ['archive'],
  schema: deriveSchema(checkpointSchema),
  strategy: checkpointStrategy,
  columns: [
    nameColumn,
    column('Pod', 'string', 'Name of the pod.'),
    column('Container', 'string', 'Name of the container.'),
    column('Node', 'string', 'Node whose agent holds the archive.'),
    column('Size', 'string', 'Size of the archive.'),
    column('Pinned', 'boolean', 'Whether the archive is kept whatever the limits of the node.'),
    ageColumn,
  ],
  printRow: ({ metadata, spec, status }, nowMillis) => [
    metadata.name ?? '',
    spec.podName,
    spec.containerName,
    spec.nodeName,
    formatBytes(status.sizeBytes ?? 0),
    spec.pinned ?? false,
    formatAge(metadata.creationTimestamp, nowMillis),
  ],
  selectableFields: {
    'spec.podName': ({ spec }) => spec.podName,
    'spec.containerName': ({ spec }) => spec.containerName,
    'spec.nodeName': ({ spec }) => spec.nodeName,
    'spec.pinned': ({ spec }) => String(spec.pinned ?? false),
  },
  description: 'The saved state of a running container, in an archive on its node.',
};
