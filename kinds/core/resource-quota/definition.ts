import { deriveSchema } from '../../derive-schema.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, column, nameColumn } from '../../printer-columns.ts';
import { listResourceNames, readAmount } from '../resource-lists.ts';
import { resourceQuotaCrd } from './crd.ts';
import { resourceQuotaSchema } from './schema.ts';
import type { ResourceQuota } from './schema.ts';
import { resourceQuotaStrategy } from './strategy.ts';

function formatUse({ status }: ResourceQuota, belongs: (name: string) => boolean): string {
  return listResourceNames(status.hard)
    .filter(belongs)
    .map((name) => `${name}: ${readAmount(status.used, name) ?? '0'}/${readAmount(status.hard, name) ?? '0'}`)
    .join(', ');
}

function isLimit(name: string): boolean {
  return name.startsWith('limits.');
}

/** ResourceQuota: aggregate limits of a namespace. */
export const resourceQuotaKind: KindDefinition<ResourceQuota> = {
  kind: 'ResourceQuota',
  groupTemplate: '',
  aliasGroupTemplate: 'core.{domain}',
  version: 'v1',
  plural: 'resourcequotas',
  singular: 'resourcequota',
  shortNames: ['quota'],
  categories: [],
  namespaced: true,
  returnsDeletedObject: true,
  schema: deriveSchema(resourceQuotaSchema),
  strategy: resourceQuotaStrategy,
  crd: resourceQuotaCrd,
  columns: [
    nameColumn,
    column('Request', 'string', 'Use and limit of requests and of everything that has no limits.'),
    column('Limit', 'string', 'Use and limit of the limits of containers.'),
    ageColumn,
  ],
  printRow: (quota, nowMillis) => [
    quota.metadata.name ?? '',
    formatUse(quota, (name) => !isLimit(name)),
    formatUse(quota, isLimit),
    formatAge(quota.metadata.creationTimestamp, nowMillis),
  ],
  description: 'Limits what a namespace may use in total.',
};
