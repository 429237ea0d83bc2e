import { deriveSchema } from '../../derive-schema.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { createdAtColumn, nameColumn } from '../../printer-columns.ts';
import { limitRangeCrd } from './crd.ts';
import { limitRangeSchema } from './schema.ts';
import type { LimitRange } from './schema.ts';
import { limitRangeStrategy } from './strategy.ts';

/** LimitRange: bounds and defaults for single objects of a namespace. */
export const limitRangeKind: KindDefinition<LimitRange> = {
  kind: 'LimitRange',
  groupTemplate: '',
  aliasGroupTemplate: 'core.{domain}',
  version: 'v1',
  plural: 'limitranges',
  singular: 'limitrange',
  shortNames: ['limits'],
  categories: [],
  namespaced: true,
  schema: deriveSchema(limitRangeSchema),
  strategy: limitRangeStrategy,
  crd: limitRangeCrd,
  columns: [nameColumn, createdAtColumn],
  printRow: (range) => [range.metadata.name ?? '', range.metadata.creationTimestamp ?? null],
  description: 'Bounds what each object in a namespace may use.',
};
