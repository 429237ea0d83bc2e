import { deriveSchema } from '../../derive-schema.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, column, nameColumn } from '../../printer-columns.ts';
import { podDisruptionBudgetCrd } from './crd.ts';
import { podDisruptionBudgetSchema } from './schema.ts';
import type { PodDisruptionBudget } from './schema.ts';
import { podDisruptionBudgetStrategy } from './strategy.ts';

/** PodDisruptionBudget: greatest disruption of a set of pods. */
export const podDisruptionBudgetKind: KindDefinition<PodDisruptionBudget> = {
  kind: 'PodDisruptionBudget',
  groupTemplate: 'policy',
  aliasGroupTemplate: 'policy.{domain}',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  singular: 'poddisruptionbudget',
  shortNames: ['pdb'],
  categories: [],
  namespaced: true,
  schema: deriveSchema(podDisruptionBudgetSchema),
  strategy: podDisruptionBudgetStrategy,
  crd: podDisruptionBudgetCrd,
  columns: [
    nameColumn,
    column('Min Available', 'string', 'How many pods must remain.'),
    column('Max Unavailable', 'string', 'How many pods may be missing.'),
    column('Allowed Disruptions', 'integer', 'How many pods may be disrupted now.'),
    ageColumn,
  ],
  printRow: ({ metadata, spec, status }, nowMillis) => [
    metadata.name ?? '',
    String(spec.minAvailable ?? 'N/A'),
    String(spec.maxUnavailable ?? 'N/A'),
    status.disruptionsAllowed,
    formatAge(metadata.creationTimestamp, nowMillis),
  ],
  description: 'Limits how many of a set of pods may be disrupted at a time.',
};
