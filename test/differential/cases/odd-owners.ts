import { create, patch, read, remove, type DifferentialCase } from '../differential-case.ts';
import { collections, makeConfigMap } from './api-objects.ts';

const { configMaps, ingressClasses } = collections;

/** Owners that go in every way, and names that are made. */
export const ownerCases: readonly DifferentialCase[] = [
  {
    name: 'deletions-of-owners',
    steps: [
      create(configMaps, makeConfigMap('o')),
      create(
        configMaps,
        makeConfigMap(
          'c1',
          {},
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: '{{1.metadata.uid}}', blockOwnerDeletion: true },
            ],
            finalizers: ['a/b'],
          },
        ),
      ),
      create(
        configMaps,
        makeConfigMap(
          'c2',
          {},
          { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: '{{1.metadata.uid}}' }] },
        ),
      ),
      remove(`${configMaps}/o`, { propagationPolicy: 'Foreground' }),
      read(`${configMaps}/o`),
      read(`${configMaps}/c2`, { until: (b) => b?.code === 404 }),
      read(`${configMaps}/c1`, { until: (b) => b?.metadata?.deletionTimestamp !== undefined }),
      read(`${configMaps}/o`),
      remove(`${configMaps}/o`, { propagationPolicy: 'Background' }),
      patch('merge', `${configMaps}/c1`, { metadata: { finalizers: null } }),
      read(`${configMaps}/o`, { until: (b) => b?.code === 404 }),
      create(configMaps, makeConfigMap('p')),
      create(
        configMaps,
        makeConfigMap(
          'd1',
          {},
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: '{{12.metadata.uid}}', controller: true },
            ],
          },
        ),
      ),
      remove(`${configMaps}/p`, { propagationPolicy: 'Orphan' }),
      read(`${configMaps}/p`, { until: (b) => b?.code === 404 }),
      read(`${configMaps}/d1`, {
        until: (b) => b?.metadata?.ownerReferences === undefined,
        ignores: ['metadata.managedFields'],
      }),
      create(configMaps, makeConfigMap('q', {}, { finalizers: ['orphan'] })),
      remove(`${configMaps}/q`, { propagationPolicy: 'Background' }),
      read(`${configMaps}/q`, { until: (b) => b?.code === 404 }),
      create(configMaps, makeConfigMap('r', {}, { finalizers: ['foregroundDeletion'] })),
      remove(`${configMaps}/r`),
      read(`${configMaps}/r`, { until: (b) => b?.code === 404 }),
      remove(
        configMaps,
        { propagationPolicy: 'Foreground', preconditions: { resourceVersion: '1' } },
        { compares: 'status' },
      ),
      remove(`${configMaps}?propagationPolicy=Orphan&orphanDependents=true&dryRun=All`, undefined, {
        compares: 'status',
      }),
      remove(`${configMaps}?orphanDependents=true&dryRun=All`, undefined, { compares: 'status' }),
      remove(configMaps, { propagationPolicy: 'Foreground', dryRun: ['All'] }, { compares: 'status' }),
      remove(configMaps, { gracePeriodSeconds: -5, dryRun: ['All'] }, { compares: 'status' }),
      remove(configMaps, { dryRun: ['All', 'All'] }, { compares: 'status' }),
      remove(`${configMaps}/d1?propagationPolicy=Orphan`, { propagationPolicy: 'Foreground' }, { compares: 'status' }),
      read(`${configMaps}/d1`, { until: (b) => b?.code === 404 }),
    ],
  },
  {
    name: 'names-and-generation',
    steps: [
      create(configMaps, { metadata: { generateName: 'Bad_' } }, { compares: 'status' }),
      create(configMaps, { metadata: { generateName: 'x'.repeat(300) } }, { compares: 'status' }),
      create(configMaps, { metadata: { generateName: 'a.' } }, { compares: 'status' }),
      create(configMaps, { metadata: { generateName: '-' } }, { compares: 'status' }),
      create(configMaps, { metadata: { name: '', generateName: 'z-' } }),
      create(configMaps, { metadata: { name: null, generateName: null } }),
      create(`${configMaps}?dryRun=All`, { metadata: { generateName: '', name: 'ok' } }),
      create('/api/v1/namespaces', { metadata: { generateName: 'x'.repeat(70) } }, { compares: 'status' }),
      create('/api/v1/namespaces/{{ns}}/services', { metadata: { name: '1a' }, spec: { ports: [{ port: 1 }] } }),
      create('/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets', { metadata: { generateName: 'b' }, spec: {} }),
      create(
        `${ingressClasses}?dryRun=All`,
        { metadata: { generateName: 'B ' }, spec: { controller: 'a/b' } },
        { compares: 'status' },
      ),
    ],
  },
];
