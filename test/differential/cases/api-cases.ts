import type { DifferentialCase } from '../differential-case.ts';
import { applyCases } from './api-apply.ts';
import { bodyCases } from './api-bodies.ts';
import { deleteCases } from './api-deletes.ts';
import { identityCases } from './api-identities.ts';
import { listCases } from './api-lists.ts';
import { patchCases } from './api-patches.ts';
import { pathCases } from './api-paths.ts';
import { subresourceCases } from './api-subresources.ts';
import { viewCases } from './api-views.ts';
import { watchCases } from './api-watches.ts';
import { writeCases } from './api-writes.ts';

/** What every kind has in common: verbs, forms, paths and identities. */
export const apiCases: readonly DifferentialCase[] = [
  ...[...writeCases, ...bodyCases, ...patchCases, ...applyCases, ...deleteCases],
  ...[...listCases, ...watchCases, ...viewCases, ...subresourceCases, ...pathCases, ...identityCases],
];
